#include "yoke/optim/optimizers/lbfgs/history.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke {

CurvatureHistory::CurvatureHistory(std::int64_t size, const torch::Tensor& vector)
    : inverses_(torch::zeros({size}, torch::kFloat64)),
      scale_(torch::ones({1}, torch::kFloat64)),
      added_(torch::zeros({1}, torch::kInt64)) {
  for (std::int64_t i = 0; i < size; ++i) {
    steps_.push_back(torch::zeros_like(vector));
    changes_.push_back(torch::zeros_like(vector));
  }
}

void CurvatureHistory::add(const torch::Tensor& step, const torch::Tensor& change,
                           const PartSums& sums) {
  const double curvature = sums.dot(change, step);
  if (!(curvature > 1e-10)) return;
  const auto place = added_.item<std::int64_t>() % inverses_.numel();
  steps_[static_cast<std::size_t>(place)].copy_(step);
  changes_[static_cast<std::size_t>(place)].copy_(change);
  inverses_[place] = 1 / curvature;
  scale_.fill_(curvature / sums.dot(change, change));
  added_.add_(1);
}

torch::Tensor CurvatureHistory::direction(const torch::Tensor& gradient,
                                          const PartSums& sums) const {
  const auto size = inverses_.numel(), added = added_.item<std::int64_t>();
  const std::int64_t oldest = std::max<std::int64_t>(0, added - size);
  const auto inverses = inverses_.accessor<double, 1>();
  std::vector<double> shares(static_cast<std::size_t>(size));
  torch::Tensor direction = gradient.neg();
  for (std::int64_t pair = added - 1; pair >= oldest; --pair) {
    const auto place = static_cast<std::size_t>(pair % size);
    shares[place] = sums.dot(steps_[place], direction) * inverses[pair % size];
    direction.add_(changes_[place], -shares[place]);
  }
  direction.mul_(scale_.item<double>());
  for (std::int64_t pair = oldest; pair < added; ++pair) {
    const auto place = static_cast<std::size_t>(pair % size);
    const double share = sums.dot(changes_[place], direction) * inverses[pair % size];
    direction.add_(steps_[place], shares[place] - share);
  }
  return direction;
}

void CurvatureHistory::clear() {
  added_.zero_();
  scale_.fill_(1);
}

NamedTensors CurvatureHistory::state() const {
  NamedTensors state{
      {"history.added", added_}, {"history.scale", scale_}, {"history.inverses", inverses_}};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    state.emplace_back(fmt::format("history.step.{}", i), steps_[i]);
    state.emplace_back(fmt::format("history.change.{}", i), changes_[i]);
  }
  return state;
}

}  // namespace yoke
