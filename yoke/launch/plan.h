// yoke/launch/plan.h: what follows from the flags of a launch before anything is started.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/launch/config.h"

namespace yoke::launch {

/// How a run is called, what its ranks run, and where its files are.
struct LaunchPlan {
  std::string id;    ///< Of its own, for `yoke stop`.
  std::string name;  ///< The program or command, for messages.
  NodeRange nodes = {};
  std::vector<std::string> command = {};         ///< As ranks execute it.
  std::vector<std::string> resume_command = {};  ///< The same for attempts after the first.
  std::filesystem::path directory = {};          ///< The training's run directory; may be empty.
  std::filesystem::path log_dir = {};            ///< Absolute.
  int first_attempt = 0;  ///< Attempts of earlier starts have their logs there.
  bool yoke_command = false;
};

/// `program` is this program, absolute. @throws UsageError.
LaunchPlan make_plan(const LaunchConfig& config, const std::filesystem::path& program);

}  // namespace yoke::launch
