// yoke/report/machine/memory_limit.h: how much memory the control group allows.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace yoke {

/// The tightest limit of this process's control group and its parents, versions 1 and 2; 0 where
/// there is none.
std::int64_t memory_limit_bytes();

/// The same for the groups listed in `groups`, the text of /proc/<pid>/cgroup, below `root`.
std::int64_t memory_limit_bytes(std::string_view groups, const std::filesystem::path& root);

}  // namespace yoke
