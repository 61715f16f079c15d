#include "yoke/launch/plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/launch/logs.h"
#include "yoke/launch/train_command.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;

std::string new_id() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d-%H%M%S}-{:04x}", fmt::localtime(now),
                     std::random_device()() & 0xffff);
}

/// One more than the newest attempt whose logs are there.
int next_attempt(const fs::path& log_dir) {
  int next = 0;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(log_dir, absent)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kAttemptPrefix)) continue;
    std::string_view number =
        std::string_view(name).substr(std::string_view(kAttemptPrefix).size());
    next = std::max(next, take_number<int>(number).value_or(0) + 1);
  }
  return next;
}

/// All attempts of a training must share one run directory, to go on from its checkpoints.
void fix_run_directory(std::vector<std::string>& command, const LaunchConfig& config,
                       const std::string& id) {
  if (!flag_value(command, flag::kOut).empty()) return;
  if (config.hosts.empty() && config.nodes.value_or(NodeRange()).most > 1) {
    throw UsageError(
        "--max-restarts or --nnodes MIN:MAX is given without train's --out DIR: a restarted "
        "training goes on from the checkpoints in DIR, so give the same on each host");
  }
  command.insert(command.end(), {as_flag(flag::kOut), fs::path(kRunsFolder) / id});
}

}  // namespace

LaunchPlan make_plan(const LaunchConfig& config, const fs::path& program) {
  if (config.command.empty()) {
    throw UsageError(
        "nothing to run; give train and its flags, or -- PROGRAM and its arguments, after the "
        "flags "
        "of yoke run");
  }
  LaunchPlan plan{.id = new_id(), .name = fs::path(config.command.front()).filename().string()};
  plan.nodes = config.nodes.value_or(NodeRange());
  if (!config.hosts.empty()) {
    const int count = static_cast<int>(config.hosts.size());
    plan.nodes = config.nodes.value_or(NodeRange{.least = count, .most = count});
  }
  if (config.standalone) plan.nodes = NodeRange();
  plan.yoke_command = is_yoke_command(config.command);
  std::vector<std::string> command = config.command;
  if (is_train(command)) {
    if (plan.nodes.elastic() || config.max_restarts > 0) {
      fix_run_directory(command, config, plan.id);
    }
    const std::string out = flag_value(command, flag::kOut);
    plan.directory = out.empty() ? fs::path() : fs::absolute(out);
  }
  plan.resume_command = resuming(command);
  plan.command = std::move(command);
  if (plan.yoke_command) {
    plan.command.insert(plan.command.begin(), program.string());
    plan.resume_command.insert(plan.resume_command.begin(), program.string());
  }
  plan.log_dir = config.log_dir;
  if (plan.log_dir.empty()) {
    plan.log_dir = plan.directory.empty() ? fs::path(kRunsFolder) / kLogsFolder / plan.id
                                          : plan.directory / kLogsFolder;
  }
  plan.log_dir = fs::absolute(plan.log_dir);
  plan.first_attempt = next_attempt(plan.log_dir);
  return plan;
}

}  // namespace yoke::launch
