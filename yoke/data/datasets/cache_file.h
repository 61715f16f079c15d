// yoke/data/datasets/cache_file.h: a file of decoded images that one process makes, and others of
// the host wait for.
#pragma once
#include <filesystem>
#include <functional>

#include "yoke/core/files/file.h"

namespace yoke {

/// Writes the whole file, which is open under the name `part`.
using FillCache = std::function<void(FileDescriptor& file, const std::filesystem::path& part)>;

/// Makes `path` by `fill` where there is none, and the folder above it: it appears when it is
/// whole, and of several processes one makes it while the others wait.
/// @throws Error when it cannot be written; what `fill` throws. Nothing half done stays.
void make_cache_file(const std::filesystem::path& path, const FillCache& fill);

}  // namespace yoke
