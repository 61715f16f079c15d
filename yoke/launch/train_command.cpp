#include "yoke/launch/train_command.h"

#include <algorithm>
#include <array>

#include "yoke/run/flag_names.h"

namespace yoke::launch {

bool is_yoke_command(const std::vector<std::string>& command) {
  constexpr std::array kCommands = {"train", "bench", "evaluate"};
  return !command.empty() &&
         std::find(kCommands.begin(), kCommands.end(), command.front()) != kCommands.end();
}

bool is_train(const std::vector<std::string>& command) {
  return !command.empty() && command.front() == "train";
}

std::string flag_value(const std::vector<std::string>& command, const std::string& name) {
  const std::string flag = as_flag(name.c_str()), attached = flag + "=";
  std::string value;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i].starts_with(attached)) value = command[i].substr(attached.size());
    if (command[i] == flag && i + 1 < command.size()) value = command[i + 1];
  }
  return value;
}

std::vector<std::string> resuming(std::vector<std::string> command) {
  if (is_train(command) && flag_value(command, flag::kResume).empty()) {
    command.insert(command.end(), {as_flag(flag::kResume), "auto"});
  }
  return command;
}

}  // namespace yoke::launch
