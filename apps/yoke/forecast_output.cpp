#include "apps/yoke/forecast_output.h"

#include <fmt/format.h>

#include <cmath>

#include "yoke/core/format.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

using Json = nlohmann::ordered_json;
using forecast::Outcome;
using forecast::Prediction;

/// Of a number in each case.
template <typename Field>
Json range(const Prediction& row, Field field) {
  return {{"low", field(row.low)}, {"typical", field(row.typical)}, {"high", field(row.high)}};
}

Json parts_of(const forecast::StepParts& step) {
  return {{"compute_seconds", step.compute},
          {key::kDataWaitSeconds, step.data_wait},
          {"stragglers_seconds", step.stragglers},
          {"link_seconds", step.link}};
}

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.4g}", seconds) : "never";
}

}  // namespace

std::string prediction_table(const std::vector<Prediction>& rows) {
  std::string text =
      fmt::format("{:>6} {:>6} {:>8}  {:>9} {:>21}  {:>8} {:>10}  {:>10} {:>11} {:>9}\n", "hosts",
                  "ranks", "images", "s/epoch", "range", "speed-up", "efficiency", "sent/step",
                  "memory/host", "failures");
  for (const auto& row : rows) {
    text += fmt::format(
        "{:>6} {:>6} {:>8.0f}  {:>9} {:>21}  {:>8.2f} {:>8.0f} %  {:>10} {:>11} {:>7.2f} %\n",
        row.hosts, row.ranks, row.images_per_rank, seconds_text(row.typical.epoch_seconds),
        fmt::format("{} to {}", seconds_text(row.low.epoch_seconds),
                    seconds_text(row.high.epoch_seconds)),
        forecast::speed_up(rows.front(), row), 100 * forecast::efficiency(rows.front(), row),
        format_bytes(std::llround(row.bytes_per_step)),
        format_bytes(std::llround(row.memory_per_host_bytes)), 100 * row.typical.failure_overhead);
  }
  return text;
}

Json to_json(const std::vector<Prediction>& rows) {
  Json all = Json::array();
  for (const auto& row : rows) {
    all.push_back(
        {{"hosts", row.hosts},
         {"ranks", row.ranks},
         {key::kBatchSize, row.batch_size},
         {"images_per_rank", row.images_per_rank},
         {"epoch_seconds", range(row, [](const Outcome& o) { return o.epoch_seconds; })},
         {key::kImagesPerSecond, range(row, [](const Outcome& o) { return o.images_per_second; })},
         {"speed_up", forecast::speed_up(rows.front(), row)},
         {"efficiency", forecast::efficiency(rows.front(), row)},
         {"step", parts_of(row.typical.step)},
         {"bytes_per_step", row.bytes_per_step},
         {"memory_per_host_bytes", row.memory_per_host_bytes},
         {"failure_overhead", range(row, [](const Outcome& o) { return o.failure_overhead; })},
         {"checkpoint_interval_seconds", row.typical.checkpoint_interval},
         {"total_epoch_seconds",
          range(row, [](const Outcome& o) { return o.total_epoch_seconds(); })}});
  }
  return all;
}

Json to_json(const std::optional<forecast::ScalingEnd>& end) {
  if (!end) return nullptr;
  return {{"hosts", end->hosts}, {"limit", forecast::name_of(end->limit)}};
}

Json to_json(const std::vector<forecast::StrategyChoice>& choices) {
  Json all = Json::array();
  for (const auto& choice : choices) {
    all.push_back({{"strategy", choice.plan.text},
                   {"same_steps", choice.plan.same_steps()},
                   {"hosts", choice.prediction.hosts},
                   {"total_epoch_seconds", choice.prediction.typical.total_epoch_seconds()}});
  }
  return all;
}

}  // namespace yoke
