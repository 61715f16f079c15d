#include "yoke/optim/scaled_rates.h"

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

/// Neighbours in the flat vector that move at the same part of the rate.
struct ScaledRange {
  std::int64_t begin = 0, end = 0;
  double scale = 1;
};

std::vector<ScaledRange> scaled_ranges(const FlatParameters& parameters) {
  std::vector<ScaledRange> ranges;
  for (const auto& slice : parameters.slices()) {
    if (slice.lr_scale == 1 || slice.frozen || slice.elements == 0) continue;
    const std::int64_t end = slice.offset + slice.elements;
    if (!ranges.empty() && ranges.back().end == slice.offset &&
        ranges.back().scale == slice.lr_scale) {
      ranges.back().end = end;
    } else {
      ranges.push_back({slice.offset, end, slice.lr_scale});
    }
  }
  return ranges;
}

class ScaledRates final : public Optimizer {
 public:
  ScaledRates(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
              std::vector<ScaledRange> ranges)
      : optimizer_(std::move(optimizer)), ranges_(std::move(ranges)) {
    for (const auto& [begin, end, scale] : ranges_) {
      values_.push_back(shard.parameters.values().narrow(0, begin, end - begin));
    }
  }

  Tensor step(const Objective& objective, const Rates& rates) override {
    std::vector<Tensor> before;
    const Objective seen = [&] {
      Tensor loss = objective();
      const torch::NoGradGuard no_grad;
      before.clear();
      for (const auto& values : values_) before.push_back(values.clone());
      return loss;
    };
    Tensor loss = optimizer_->step(seen, rates);
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < before.size(); ++i) {
      values_[i].copy_(before[i].lerp(values_[i], ranges_[i].scale));
    }
    return loss;
  }

  std::vector<std::pair<std::string, Tensor>> state() override { return optimizer_->state(); }

 private:
  const std::unique_ptr<Optimizer> optimizer_;
  const std::vector<ScaledRange> ranges_;
  std::vector<Tensor> values_;  // by range, views
};

}  // namespace

std::unique_ptr<Optimizer> scale_rates(std::unique_ptr<Optimizer> optimizer, const Shard& shard,
                                       bool first_order) {
  auto ranges = scaled_ranges(shard.parameters);
  if (ranges.empty()) return optimizer;
  if (!first_order) {
    throw UsageError(
        "--lr-scale was given to an optimizer that searches along one line for all parameters; "
        "leave it out, or give one of first order: sgd, adam");
  }
  return std::make_unique<ScaledRates>(std::move(optimizer), shard, std::move(ranges));
}

}  // namespace yoke
