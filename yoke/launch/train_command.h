// yoke/launch/train_command.h: what a launch adds to `yoke train`'s own flags.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace yoke::launch {

/// Whether `command` begins with a command of this program that ranks can run.
bool is_yoke_command(const std::vector<std::string>& command);

/// Whether `command` is `train ...`.
bool is_train(const std::vector<std::string>& command);

/// The value of `--name` in `command`, in either form; empty where it is not given.
std::string flag_value(const std::vector<std::string>& command, const std::string& name);

/// `command` for an attempt after the first: a training goes on from its newest checkpoint, unless
/// it says itself where from.
std::vector<std::string> resuming(std::vector<std::string> command);

}  // namespace yoke::launch
