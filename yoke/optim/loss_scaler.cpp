#include "yoke/optim/loss_scaler.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/optim/saved_state.h"

namespace yoke {
namespace {

constexpr double kMost = 1 << 24;
constexpr double kLeast = 1 / kMost;
constexpr const char* kScaleName = "loss_scaler.scale";
constexpr const char* kGoodName = "loss_scaler.good_steps";

}  // namespace

LossScaler::LossScaler(const LossScalerOptions& options)
    : growth_interval_(options.growth_interval),
      scale_(torch::full({}, options.initial, torch::kFloat64)),
      good_(torch::zeros({}, torch::kInt64)) {}

void LossScaler::update(bool finite) {
  double& scale = *scale_.data_ptr<double>();
  std::int64_t& good = *good_.data_ptr<std::int64_t>();
  if (finite) {
    if (++good < growth_interval_) return;
    good = 0;
    scale = std::max(scale, std::min(2 * scale, kMost));
    return;
  }
  good = 0;
  scale /= 2;
  ++skipped_;
  events_.push_back(fmt::format(
      "Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to {}", scale));
  if (scale >= kLeast) return;
  throw Error(
      fmt::format("the gradient is not finite, and neither was it in steps before, though the loss "
                  "scale is down to {:g}; give a smaller --lr, or look for its cause with "
                  "--precision fp32",
                  scale));
}

NamedTensors LossScaler::state() const { return {{kScaleName, scale_}, {kGoodName, good_}}; }

std::vector<std::string> LossScaler::take_events() { return std::exchange(events_, {}); }

NamedTensors with_scale_of(NamedTensors saved, const LossScaler* scaler) {
  return with_own_state(std::move(saved), {kScaleName, kGoodName},
                        scaler == nullptr ? NamedTensors() : scaler->state());
}

}  // namespace yoke
