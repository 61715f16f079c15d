// yoke/core/version.h: the version of Yoke.
#pragma once

namespace yoke {

/// As in CMakeLists.txt.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace yoke
