#include "yoke/predict/sentences.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke::predict {
namespace {

std::string plural(std::int64_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// What becomes of a step of `end.doubled`.
std::string say_why(const ScalingEnd& end) {
  const Outcome& outcome = end.doubled.typical;
  const StepParts& step = outcome.step;
  const double total = 1e3 * step.total();
  const auto of_step = [&](double seconds, const char* what) {
    return fmt::format("of a step of {:.3g} ms there, {:.3g} ms are {}", total, 1e3 * seconds,
                       what);
  };
  switch (end.limit) {
    case Limit::kCompute:
      return fmt::format("{} are {} to a rank, which takes {:.3g} ms however it is linked",
                         plural(end.doubled.batch_size, "image") + " a step",
                         plural(static_cast<std::int64_t>(end.doubled.images_per_rank), "image"),
                         1e3 * step.compute);
    case Limit::kLink:
      return of_step(step.link, "waiting for the link");
    case Limit::kData:
      return of_step(step.data_wait, "waiting for data");
    case Limit::kStragglers:
      return of_step(step.stragglers, "waiting for the slowest rank");
    case Limit::kFailures:
      return fmt::format("failures and checkpoints take {:.0f} % more time there",
                         100 * outcome.failure_overhead);
  }
  return {};
}

}  // namespace

std::string say_end(const std::optional<ScalingEnd>& end, std::int64_t most) {
  if (!end) {
    return fmt::format(
        "Scaling does not stop up to {}: each doubling trains a tenth faster or more.",
        plural(most, "host"));
  }
  return fmt::format(
      "Scaling stops at {}, by {}: twice as many would train less than a tenth faster, for {}.",
      plural(end->hosts, "host"), name_of(end->limit), say_why(*end));
}

std::string say_best(const std::vector<StrategyChoice>& choices) {
  const auto same = std::find_if(choices.begin(), choices.end(),
                                 [](const auto& choice) { return choice.plan.same_steps(); });
  const auto seconds = [](const StrategyChoice& choice) {
    return choice.prediction.typical.total_epoch_seconds();
  };
  const std::int64_t hosts = choices.front().prediction.hosts;
  std::string text = fmt::format(
      "On {}, of the strategies that take the steps of one rank, {} is "
      "fastest: {:.3g} s an epoch.",
      plural(hosts, "host"), same->plan.text, seconds(*same));
  const StrategyChoice& first = choices.front();
  if (!first.plan.same_steps() && seconds(first) < seconds(*same)) {
    text += fmt::format(" {} would take {:.3g} s, but what it learns in an epoch is less.",
                        first.plan.text, seconds(first));
  }
  return text;
}

}  // namespace yoke::predict
