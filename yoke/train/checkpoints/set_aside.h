// yoke/train/checkpoints/set_aside.h: what a resume finds from after the step at which it goes on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "yoke/core/files/set_aside.h"
#include "yoke/train/run_directory.h"

namespace yoke {

/// Why a checkpoint that cannot be read now is set aside.
inline constexpr const char* kUnreadable = "unreadable";

/// Sets aside what a run holds from after `step`: its checkpoints as `later-step-NNNNNNNN`, or
/// `unreadable-step-NNNNNNNN`, which nothing lists or removes, its final weights, summary and
/// predictions, and copies of its metrics, phases and resources, as `later-...`. `tell` hears of
/// each checkpoint and of the weights. @throws Error when that cannot be done.
void set_aside_after(const RunDirectory& directory, std::int64_t step,
                     const std::function<void(const std::string&)>& tell);

}  // namespace yoke
