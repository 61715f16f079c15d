#include "yoke/optim/scaled.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <torch/utils.h>

#include <atomic>
#include <bit>
#include <limits>

#include "yoke/core/error.h"
#include "yoke/core/vectorise.h"
#include "yoke/optim/ranges.h"

namespace yoke {
namespace {

using torch::Tensor;

static_assert(std::numeric_limits<float>::is_iec559);
constexpr std::uint32_t kExponent = 0x7f800000;  // all of it set: an infinity, or not a number

/// Whether all are finite afterwards.
YOKE_VECTORISE bool multiply(float* __restrict numbers, std::int64_t size, float factor) {
  std::uint32_t odd = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const float product = numbers[i] * factor;
    numbers[i] = product;
    odd |= (std::bit_cast<std::uint32_t>(product) & kExponent) == kExponent ? 1U : 0U;
  }
  return odd == 0;
}

/// Multiplies `gradient`; fp32 [1] on its device, 0 where all is finite afterwards.
Tensor multiply_and_check(Tensor gradient, float factor) {
  const auto options = gradient.options();
  if (gradient.is_cpu()) {
    std::atomic<bool> finite = true;
    for_each_range({gradient}, [&](float* const* at, std::int64_t size) {
      if (!multiply(at[0], size, factor)) finite = false;
    });
    return torch::full({1}, finite ? 0.0 : 1.0, options);
  }
  Tensor found = torch::zeros({1}, options);
  if (gradient.numel() == 0) return found;
  at::_amp_foreach_non_finite_check_and_unscale_({gradient}, found,
                                                 torch::full({1}, factor, options));
  return found;
}

class Scaled final : public Optimizer {
 public:
  Scaled(std::unique_ptr<Optimizer> optimizer, const Shard& shard, LossScaler& scaler)
      : optimizer_(std::move(optimizer)), shard_(shard), scaler_(scaler) {}

  Tensor step(const Objective& objective, const Rates& rates) override {
    Tensor loss = objective();
    const bool finite = unscale_gradient(shard_, scaler_.scale());
    scaler_.update(finite);
    return finite ? optimizer_->step([&] { return loss; }, rates) : loss;
  }

  std::vector<std::pair<std::string, Tensor>> state() override { return optimizer_->state(); }

 private:
  const std::unique_ptr<Optimizer> optimizer_;
  const Shard shard_;
  LossScaler& scaler_;
};

}  // namespace

bool unscale_gradient(const Shard& shard, double scale) {
  const torch::NoGradGuard no_grad;
  const Tensor found =
      multiply_and_check(shard.parameters.gradients(), static_cast<float>(1 / scale));
  if (shard.sum) shard.sum(found);
  return found.item<float>() == 0;
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view text, const Shard& shard,
                                          LossScaler* scaler) {
  auto optimizer = make_optimizer(text, shard);
  if (scaler == nullptr) return optimizer;
  if (!optimizers().choose(text).traits.first_order) {
    throw UsageError(fmt::format(
        "--optimizer {} compares losses and gradients of several points in a step, which a "
        "gradient that overflows at one of them leaves without an answer; with a scaled loss give "
        "an optimizer that takes one gradient (sgd, adam), or --precision fp32",
        text));
  }
  return std::make_unique<Scaled>(std::move(optimizer), shard, *scaler);
}

}  // namespace yoke
