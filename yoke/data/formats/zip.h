// yoke/data/formats/zip.h: zip archives whose files are not compressed.
#pragma once
#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace yoke {

/// The files of the zip archive `path` whose names are `wanted`, each as uint8 [size]; together
/// they take no more memory than the archive has bytes.
/// @throws Error when it cannot be read, is damaged, has a name twice or a file that is compressed.
std::map<std::string, torch::Tensor> read_stored_zip(
    const std::filesystem::path& path, const std::function<bool(std::string_view name)>& wanted);

}  // namespace yoke
