// yoke/optim/optimizers/lbfgs.cpp: L-BFGS (Liu and Nocedal 1989), by the rules of
// torch.optim.LBFGS.
#include <algorithm>
#include <cmath>
#include <optional>

#include "yoke/optim/optimizer.h"
#include "yoke/optim/optimizers/lbfgs/history.h"
#include "yoke/optim/optimizers/lbfgs/line_search.h"
#include "yoke/optim/optimizers/lbfgs/part_sums.h"

namespace yoke {
namespace {

constexpr int kMostTrials = 26;  // of one line search, PyTorch's limit

struct LbfgsOptions {
  std::int64_t history = 10;
  std::int64_t max_iter = 20;
  std::optional<std::int64_t> max_eval = {};
  double tolerance_grad = 1e-7;
  double tolerance_change = 1e-9;
  bool line_search = true;
};

OptionTable<LbfgsOptions> lbfgs_options() {
  using O = LbfgsOptions;
  return {
      {"history", &O::history, in(1, 1000), "pairs of vectors that H is made of"},
      {"line_search",
       &O::line_search,
       {{"strong-wolfe", true}, {"none", false}},
       "`none`: goes by `--lr` each time"},
      {"max_iter", &O::max_iter, in(1, 100'000), "directions of a step"},
      {"max_eval", &O::max_eval, in(1, 1'000'000), unset("max_iter * 5 / 4, at least max_iter + 5"),
       "evaluations of loss and gradient of a step"},
      {"tolerance_grad", &O::tolerance_grad, at_least(0),
       "a step ends where no element of the gradient is larger"},
      {"tolerance_change", &O::tolerance_change, at_least(0),
       "a step ends where the loss, or each parameter, changes by less"},
  };
}

class Lbfgs final : public Optimizer {
 public:
  Lbfgs(const Shard& shard, const LbfgsOptions& options)
      : parameters_(shard.parameters),
        sums_(shard.sum),
        options_(options),
        // PyTorch's default, but with room for a line search where there are few iterations.
        max_eval_(
            options.max_eval.value_or(std::max(options.max_iter * 5 / 4, options.max_iter + 5))),
        history_(options.history, parameters_.values()),
        iterations_(torch::zeros({1}, torch::kInt64)),
        length_(torch::zeros({1}, torch::kFloat64)),
        direction_(torch::zeros_like(parameters_.values())),
        gradient_(torch::zeros_like(parameters_.values())) {}

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    const torch::NoGradGuard no_grad;
    torch::Tensor first;  // loss
    std::int64_t evaluations = 0;
    const Evaluate evaluate = [&](double length) {
      const torch::AutoGradMode recorded(true);
      const torch::Tensor loss = objective().detach();
      if (++evaluations == 1) first = loss.clone();
      return trial_here(length, loss.item<double>());
    };
    Trial at = evaluate(0);
    if (!at.finite() || settled(at)) return first;
    for (std::int64_t i = 1; i <= options_.max_iter; ++i) {
      const double before = at.loss;
      const bool last = i == options_.max_iter;
      const std::int64_t left = std::max<std::int64_t>(1, max_eval_ - evaluations);
      if (!choose_direction(at)) break;
      const double length = first_length(at, rates.lr);
      if (!(options_.line_search ? search(evaluate, at, length, left)
                                 : move(evaluate, at, length, last))) {
        break;
      }
      if (last || evaluations >= max_eval_ || settled(at)) break;
      if (same(length_.item<double>())) break;
      if (std::abs(at.loss - before) < options_.tolerance_change) break;
    }
    return first;
  }

  NamedTensors state() override {
    NamedTensors state{{"iterations", iterations_},
                       {"length", length_},
                       {"direction", direction_},
                       {"previous_gradient", gradient_}};
    for (auto& tensor : history_.state()) state.push_back(std::move(tensor));
    return state;
  }

 private:
  using Evaluate = std::function<Trial(double length)>;

  /// What the objective has just found, by the latest direction.
  Trial trial_here(double length, double loss) const {
    const torch::Tensor gradient = parameters_.gradients().clone();
    return {.length = length,
            .loss = loss,
            .slope = sums_.dot(gradient, direction_),
            .gradient = gradient};
  }

  bool settled(const Trial& at) const { return sums_.within(at.gradient, options_.tolerance_grad); }

  /// Whether points so many directions apart are the same.
  bool same(double width) const {
    return sums_.within(direction_ * width, options_.tolerance_change);
  }

  /// False where the loss falls too little along it.
  bool choose_direction(Trial& at) {
    if (iterations_.item<std::int64_t>() == 0) {
      history_.clear();
      torch::neg_out(direction_, at.gradient);
    } else {
      const torch::Tensor step = direction_ * length_.item<double>();
      history_.add(step, at.gradient - gradient_, sums_);
      direction_.copy_(history_.direction(at.gradient, sums_));
    }
    iterations_.add_(1);
    gradient_.copy_(at.gradient);
    length_.zero_();  // until it has moved
    at.slope = sums_.dot(at.gradient, direction_);
    if (!std::isfinite(at.slope)) forget();
    return at.slope <= -options_.tolerance_change;
  }

  double first_length(const Trial& at, double lr) const {
    if (iterations_.item<std::int64_t>() > 1) return lr;
    return std::min(1.0, 1 / sums_.magnitude(at.gradient)) * lr;
  }

  /// Moves to where a line search ends; false where it met what is not finite.
  bool search(const Evaluate& evaluate, Trial& at, double length, std::int64_t left) {
    const torch::Tensor start = parameters_.values().clone();
    const auto go = [&](double by) { parameters_.values().copy_(start).add_(direction_, by); };
    const Line line{.evaluate =
                        [&](double by) {
                          go(by);
                          return evaluate(by);
                        },
                    .narrow = [&](double width) { return same(width); }};
    at.length = 0;
    const auto most = static_cast<int>(std::min<std::int64_t>(kMostTrials, left));
    Found found = search_strong_wolfe(line, at, length, most);
    at = std::move(found.at);
    go(at.length);
    length_.fill_(at.length);
    if (at.length == 0) forget();  // or the next step would try the same
    return found.finite;
  }

  /// Moves by `length` and looks, but for the last time, when the next step looks anyway. False,
  /// and where it was, where that is not finite.
  bool move(const Evaluate& evaluate, Trial& at, double length, bool last) {
    const torch::Tensor start = last ? torch::Tensor() : parameters_.values().clone();
    parameters_.values().add_(direction_, length);
    length_.fill_(length);
    if (last) return true;
    Trial next = evaluate(length);
    if (next.finite()) {
      at = std::move(next);
      return true;
    }
    parameters_.values().copy_(start);
    forget();
    return false;
  }

  /// The next step begins anew, by a short one down the gradient.
  void forget() { iterations_.zero_(); }

  FlatParameters& parameters_;
  PartSums sums_;
  LbfgsOptions options_;
  std::int64_t max_eval_;
  CurvatureHistory history_;
  torch::Tensor iterations_;  // int64 [1], of all steps
  torch::Tensor length_;      // fp64 [1]: by so many directions the latest iteration moved
  torch::Tensor direction_;   // fp32 [P], of the latest iteration
  torch::Tensor gradient_;    // fp32 [P], before it
};

}  // namespace

OptimizerPlugin lbfgs_optimizer() {
  return {lbfgs_options(),
          [](const Shard& shard, const LbfgsOptions& options) {
            return std::make_unique<Lbfgs>(shard, options);
          },
          OptimizerTraits{.default_lr = 1, .first_order = false, .elementwise = false}};
}

}  // namespace yoke
