// yoke/core/files/set_aside.h: what is in the way of new files, and is kept.
#pragma once
#include <filesystem>
#include <string>

namespace yoke {

/// `WHY-NAME` beside `path`, or `WHY-2-NAME` and so on where that is taken.
std::filesystem::path path_aside(const std::filesystem::path& path, const std::string& why);

/// Renames `path` to its path_aside(), and returns that. @throws Error when it cannot be renamed.
std::filesystem::path set_aside(const std::filesystem::path& path, const std::string& why);

}  // namespace yoke
