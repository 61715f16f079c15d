#include "apps/yoke/rate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "yoke/core/format.h"
#include "yoke/run/summary.h"

namespace yoke {

using study::RatePoint;
using study::RateTest;

void print_trial(const TrainConfig& config, RateTrial& trial, const study::RateRange& range) {
  Workload& workload = trial.workload();
  const std::int64_t images = trial.trainer().batch_size();
  fmt::print(
      "model      {}, {} parameters\ndata       {}, {} training images\nstep       {} images, {}; "
      "{} rates from {} to {}\nengine     {}\n",
      config.model, workload.parameters.size(), config.data, workload.data.train->size(), images,
      config.optimizer, range.steps, range.from, range.to,
      workload.engine.engine->describe(images));
  if (!workload.engine.note.empty()) fmt::print("{}\n", workload.engine.note);
  for (const auto& warning : trial.trainer().warnings()) fmt::print("{}\n", warning);
  fmt::print("\n{:>8} {:>11} {:>11}\n", "lr", "loss", "smoothed");
}

void print_step(const RateTest& test) {
  constexpr std::int64_t kRows = 20;
  constexpr double kRoom = 1.25;  // of bars, over the first loss
  constexpr int kColumns = 40;
  const std::int64_t every = std::max<std::int64_t>(1, test.range().steps / kRows);
  if ((test.taken() - 1) % every != 0 && test.goes_on()) return;
  const RatePoint& point = test.points().back();
  const double most = kRoom * test.points().front().smoothed;
  fmt::print("{:8.1e} {:#11.5g} {:#11.5g}  {}\n", point.lr, point.loss, point.smoothed,
             format_bar(point.smoothed / most, kColumns));
  std::fflush(stdout);
}

void print_suggestions(const RateTest& test, const std::string& command) {
  if (test.diverged()) {
    fmt::print(
        "\nEnded at step {} of {}: the smoothed loss is no number, or above {:g} times its least, "
        "{:.4g}.\n",
        test.taken(), test.range().steps, study::kDivergence, test.best());
  }
  const auto suggested = test.suggestions();
  if (!suggested) return;
  fmt::print("\n{:<18} {:>8}\n{:<18} {:8.2g}\n{:<18} {:8.2g}\n", "suggestion", "lr", "minimum / 10",
             suggested->minimum, "steepest descent", suggested->steep);
  if (suggested->at_end) {
    fmt::print("The loss was least at the end: a higher --to may find a higher rate.\n");
  }
  if (suggested->slight) {
    fmt::print(
        "The loss fell by less than it scatters from step to step, so these say little: a higher "
        "--to, more --steps or a larger --batch-size may say more.\n");
  }
  fmt::print("Next:\n  {}\n", command);
}

nlohmann::ordered_json to_json(const TrainConfig& config, const RateTrial& trial,
                               const RateTest& test, const std::string& command) {
  nlohmann::ordered_json json = {{key::kModel, config.model},
                                 {key::kData, config.data},
                                 {"optimizer", config.optimizer},
                                 {key::kBatchSize, trial.trainer().batch_size()},
                                 {"from", test.range().from},
                                 {"to", test.range().to},
                                 {key::kSteps, test.taken()},
                                 {"diverged", test.diverged()},
                                 {"minimum", nullptr},
                                 {"steep", nullptr},
                                 {key::kCommand, nullptr},
                                 {"points", nlohmann::ordered_json::array()}};
  if (const auto suggested = test.suggestions()) {
    json["minimum"] = suggested->minimum;
    json["steep"] = suggested->steep;
    json[key::kCommand] = command;
  }
  for (const RatePoint& point : test.points()) {
    json["points"].push_back(
        {{"lr", point.lr}, {"loss", point.loss}, {"smoothed", point.smoothed}});
  }
  return json;
}

}  // namespace yoke
