#include "yoke/forecast/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/format.h"

namespace yoke::forecast {
namespace {

/// Where the most of a step of `end.doubled` goes.
std::string say_why(const ScalingEnd& end) {
  const StepParts& step = end.doubled.typical.step;
  const auto of_which = [](double seconds, const std::string& what) {
    return fmt::format("of which {:.3g} ms are {}", 1e3 * seconds, what);
  };
  switch (end.limit) {
    case Limit::kCompute:
      return of_which(
          step.compute,
          fmt::format("computing {} a rank",
                      format_count(std::llround(end.doubled.images_per_rank), "image")));
    case Limit::kLink:
      return of_which(step.link, "waiting for the link");
    case Limit::kData:
      return of_which(step.data_wait, "waiting for data");
    case Limit::kStragglers:
      return of_which(step.stragglers, "waiting for the slowest rank");
    case Limit::kFailures:
      return fmt::format("failures and checkpoints add {:.0f} %",
                         100 * end.doubled.typical.failure_overhead);
  }
  return {};
}

}  // namespace

std::string say_end(const std::optional<ScalingEnd>& end, std::int64_t first, std::int64_t most) {
  if (!end && first > most / 2) return {};
  if (!end) {
    return fmt::format(
        "Scaling does not stop up to {}: each doubling trains a tenth faster or more.",
        format_count(most, "host"));
  }
  return fmt::format(
      "Scaling stops at {}, by {}: on {} a step takes {:.3g} ms, {}, and training is less than a "
      "tenth faster.",
      format_count(end->hosts, "host"), name_of(end->limit), end->doubled.hosts,
      1e3 * end->doubled.typical.step.total(), say_why(*end));
}

std::string say_cut(std::int64_t hosts, std::int64_t batch_size, std::int64_t train_images) {
  return fmt::format(
      "The table ends before {}: a step there would have {} images, but the data set has {}, which "
      "yoke train refuses.",
      format_count(hosts, "host"), batch_size, train_images);
}

std::string say_best(const std::vector<StrategyChoice>& choices) {
  const auto same = std::find_if(choices.begin(), choices.end(),
                                 [](const auto& choice) { return choice.plan.same_steps(); });
  if (same == choices.end()) return {};
  const auto seconds = [](const StrategyChoice& choice) {
    return choice.prediction.typical.total_epoch_seconds();
  };
  const std::int64_t hosts = choices.front().prediction.hosts;
  std::string text = fmt::format(
      "On {}, of the strategies that take the steps of one rank, {} is "
      "fastest: {:.3g} s an epoch.",
      format_count(hosts, "host"), same->plan.text, seconds(*same));
  const StrategyChoice& first = choices.front();
  if (!first.plan.same_steps() && seconds(first) < seconds(*same)) {
    text += fmt::format(" {} would take {:.3g} s, but what it learns in an epoch is less.",
                        first.plan.text, seconds(first));
  }
  return text;
}

}  // namespace yoke::forecast
