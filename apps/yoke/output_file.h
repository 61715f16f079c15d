// apps/yoke/output_file.h: a file that a command is asked to write.
#pragma once
#include <filesystem>
#include <string>

namespace yoke {

/// Whether `output`, given by `flag` (`--out`), can be written: before the work, not after it.
/// @throws UsageError where its folder is not there, it is a folder, or there is such a file and
/// `force` is false.
void check_output(const std::string& flag, const std::filesystem::path& output, bool force);

}  // namespace yoke
