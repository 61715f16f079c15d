#include "yoke/engine/eager/part_statistics.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

Tensor record(const BatchNormCall& call, std::vector<PartStatistics>& found) {
  if (!call.running_mean.defined() || !call.running_variance.defined()) {
    return plain_batch_norm(call);
  }
  const auto channels = static_cast<double>(call.input.size(1));
  BatchNormCall alone = call;
  alone.running_mean = torch::zeros_like(call.running_mean);
  alone.running_variance = torch::zeros_like(call.running_variance);
  alone.momentum = 1;  // they become those of this part
  Tensor output = plain_batch_norm(alone);
  found.push_back({.running_mean = call.running_mean,
                   .running_variance = call.running_variance,
                   .momentum = call.momentum,
                   .count = static_cast<double>(call.input.numel()) / channels,
                   .mean = alone.running_mean,
                   .variance = alone.running_variance});
  return output;
}

/// Moves those of one layer, of which `parts` holds what each part found.
void move_layer(const std::vector<const PartStatistics*>& parts) {
  const Tensor &running_mean = parts.front()->running_mean,
               &running_variance = parts.front()->running_variance;
  const double momentum = parts.front()->momentum;
  const auto wide = running_mean.options().dtype(torch::kFloat64);
  double count = 0;
  Tensor sum = torch::zeros_like(running_mean, wide), squares = torch::zeros_like(sum);
  for (const auto* part : parts) {
    const Tensor mean = part->mean.to(wide);
    count += part->count;
    sum += part->count * mean;
    squares += part->count * mean.square();
    if (part->count > 1) squares += (part->count - 1) * part->variance.to(wide);
  }
  if (count < 2) throw Error("batch norm needs more than one value per channel");
  const Tensor mean = sum / count;
  // Running variances are of the unbiased kind (Ioffe and Szegedy 2015, algorithm 2).
  const Tensor variance = (squares - count * mean.square()) / (count - 1);
  Tensor(running_mean).lerp_(mean.to(running_mean.scalar_type()), momentum);
  Tensor(running_variance).lerp_(variance.to(running_variance.scalar_type()), momentum);
}

}  // namespace

StatisticsRecorder::StatisticsRecorder(std::vector<PartStatistics>& found)
    : hook_([&found](const BatchNormCall& call) { return record(call, found); }) {}

void move_running_statistics(const std::vector<std::vector<PartStatistics>>& parts) {
  const torch::NoGradGuard no_grad;
  const std::size_t layers = parts.front().size();
  for (const auto& part : parts) {
    if (part.size() == layers) continue;
    throw Error(
        fmt::format("one replica ran {} batch norms, another {}; replicas need models that run the "
                    "same layers on any images",
                    layers, part.size()));
  }
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<const PartStatistics*> found;
    for (const auto& part : parts) found.push_back(&part[layer]);
    move_layer(found);
  }
}

}  // namespace yoke
