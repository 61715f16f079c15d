// yoke/launch/home.h: where a user's files are.
#pragma once
#include <filesystem>

#include "yoke/core/system/process.h"

namespace yoke::launch {

/// $HOME, or as the system knows it where that is not set.
std::filesystem::path home_folder(const Environment& environment);

}  // namespace yoke::launch
