// apps/yoke/train.cpp: `yoke train`, the main job.
#include "yoke/train/train.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/given_config.h"
#include "apps/yoke/stop_signal.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

/// What the command line gave.
struct GivenTraining {
  GivenConfig config;
  Stopwatch clock;
};

/// This process's arguments, as typed but for quotes.
std::string command_line() {
  std::string text = read_file("/proc/self/cmdline");
  if (!text.empty()) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

void print_result(const TrainResult& result) {
  const auto& summary = result.summary;
  const auto directory = result.directory.string();
  const double seconds = summary.at(key::kTrainSeconds).get<double>();
  fmt::print("\nTraining {} in: {} ({:.0f} images/s; {:.1f} s of steps, {:.1f} s of evaluation)\n",
             result.status == RunStatus::kCompleted ? "complete" : "stopped",
             format_clock(summary.at(key::kWallSeconds).get<double>()),
             summary.at(key::kImagesPerSecond).get<double>(), seconds,
             summary.at(key::kEvaluateSeconds).get<double>());
  if (!summary.at(key::kValTop1).is_null()) {
    fmt::print("Validation accuracy: {:.2f} % (top-5 {:.2f} %)\n",
               100 * summary.at(key::kValTop1).get<double>(),
               100 * summary.at(key::kValTop5).get<double>());
  }
  if (!summary.at(key::kValEce).is_null()) {
    fmt::print("Balanced accuracy: {:.2f} % (expected calibration error {:.2f} %)\n",
               100 * summary.at(key::kValBalancedAccuracy).get<double>(),
               100 * summary.at(key::kValEce).get<double>());
  }
  if (!summary.at(key::kTargetAccuracy).is_null()) {
    const bool reached = summary.at(key::kTargetReached).get<bool>();
    fmt::print("Target accuracy {:.2f} %: {}\n",
               100 * summary.at(key::kTargetAccuracy).get<double>(),
               reached ? fmt::format("reached after {:.1f} s",
                                     summary.at(key::kTimeToTargetSeconds).get<double>())
                       : "not reached");
  }
  fmt::print(
      "Results: {0}\nNext:\n  yoke report {0}    a page of graphs\n"
      "  yoke evaluate {0}    accuracy per class\n"
      "  yoke classify {0} PHOTOS    names for other photos\n"
      "  yoke export {0} -o model.onnx    the model for other programs\n",
      directory);
  if (result.status == RunStatus::kStopped &&
      std::filesystem::exists(RunDirectory{result.directory}.checkpoints())) {
    fmt::print("  yoke train --resume {}    go on from the newest checkpoint\n", directory);
  } else {
    fmt::print("  yoke train --help    other models, data, optimizers\n");
  }
}

Output standard_output() {
  Output output{.stream = &std::cout, .terminal = ::isatty(STDOUT_FILENO) == 1};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    output.columns = size.ws_col;
  return output;
}

int train_command(const GivenTraining& given) {
  hold_stop_signals();
  TrainConfig config = resolve(given.config);
  if (config.threads == 0) config.threads = threads_from_environment();
  const TrainContext context{.output = standard_output(),
                             .world = world_from_environment(),
                             .stop = &stop_requested(),
                             .joined = catch_stop_signals,
                             .command = command_line(),
                             .clock = given.clock};
  const TrainResult result = train(config, {}, context);
  if (config.progress != ProgressKind::kNone && context.world.rank == 0) print_result(result);
  if (result.status == RunStatus::kUnsaved) {
    throw Error(
        fmt::format("stopped, but the state of the last step was not saved; {} holds the last good "
                    "checkpoint, if there is one: make room, and go on from it with --resume",
                    RunDirectory{result.directory}.checkpoints().string()));
  }
  return result.status == RunStatus::kCompleted ? 0 : kStopped;
}

}  // namespace

void add_train_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("train", "Train a model");
  const auto given = std::make_shared<GivenTraining>();
  add_photos(*command, given->config);
  add_config_flags(*command, given->config);
  command->callback([given, &run] { run = [given] { return train_command(*given); }; });
}

}  // namespace yoke
