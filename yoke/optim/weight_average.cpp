#include "yoke/optim/weight_average.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr double kMostDecay = 0.999999;  // a million weights are as many as a run has

void exchange(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor kept = a.clone();
  a.copy_(b);
  b.copy_(kept);
}

}  // namespace

OptionTable<WeightAverageOptions> weight_average_options() {
  using O = WeightAverageOptions;
  return OptionTable<O>{
      {"decay", &O::decay, in(0, kMostDecay), unset(fmt::format("{}", O::kDecay)),
       "share that the mean keeps of itself each time"},
      {"every", &O::every, at_least(1), "steps from one time to the next"},
      {"start", &O::start, in(0, 1), "share of the run's steps before the first time"},
      {"warmup", &O::warmup,
       "after n times the decay is (1 + n) / (10 + n) at most, so that the first weights are soon "
       "forgotten"},
      {"equal", &O::equal,
       "all weights count alike instead, without a decay: stochastic weight averaging (SWA)"},
  }
      .with_bare("decay");
}

WeightAverageOptions parse_weight_average(std::string_view text) {
  Options given(text, "--ema");
  const WeightAverageOptions options = weight_average_options().read(given);
  given.finish();
  if (options.equal && options.decay) {
    throw UsageError(
        fmt::format("--ema was given both equal=true and decay={}: weights that count alike have "
                    "no decay; leave out one of the two",
                    *options.decay));
  }
  return options;
}

WeightAverage::WeightAverage(const WeightAverageOptions& options, FlatParameters& parameters,
                             std::vector<torch::Tensor> buffers, std::int64_t total_steps)
    : options_(options),
      parameters_(parameters),
      buffers_(std::move(buffers)),
      total_steps_(total_steps),
      values_(torch::zeros_like(parameters.values())),
      count_(torch::zeros({1}, torch::kInt64)) {
  for (const auto& buffer : buffers_) buffer_values_.push_back(torch::zeros_like(buffer));
}

std::int64_t WeightAverage::first_step() const {
  constexpr double kEndless = 0x1p61;  // a run may be as long as its number can be
  const double before = std::min(options_.start * static_cast<double>(total_steps_), kEndless);
  return (static_cast<std::int64_t>(before) / options_.every + 1) * options_.every;
}

bool WeightAverage::due(std::int64_t step) const {
  return step % options_.every == 0 && (count() > 0 || step >= first_step());
}

double WeightAverage::share(std::int64_t count) const {
  if (count == 0) return 1;
  const auto before = static_cast<double>(count);
  if (options_.equal) return 1 / (before + 1);
  const double decay = options_.decay.value_or(WeightAverageOptions::kDecay);
  return 1 - (options_.warmup ? std::min(decay, (1 + before) / (10 + before)) : decay);
}

void WeightAverage::add() {
  const torch::NoGradGuard no_grad;
  const double part = share(count());
  values_.lerp_(parameters_.values(), part);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].is_floating_point()) {
      buffer_values_[i].lerp_(buffers_[i], part);
    } else {
      buffer_values_[i].copy_(buffers_[i]);
    }
  }
  count_.add_(1);
}

std::int64_t WeightAverage::count() const { return count_.item<std::int64_t>(); }

void WeightAverage::swap() {
  const torch::NoGradGuard no_grad;
  exchange(parameters_.values(), values_);
  for (std::size_t i = 0; i < buffers_.size(); ++i) exchange(buffers_[i], buffer_values_[i]);
}

NamedTensors WeightAverage::state() const {
  NamedTensors state = {{"ema.count", count_}, {"ema.values", values_}};
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    state.emplace_back(fmt::format("ema.buffers.{}", i), buffer_values_[i]);
  }
  return state;
}

std::string WeightAverage::describe() const {
  const std::string when =
      fmt::format("of the weights, every {} steps from step {} on", options_.every, first_step());
  if (options_.equal) return when + ", all alike";
  return fmt::format("{}, decay {:g}{}", when,
                     options_.decay.value_or(WeightAverageOptions::kDecay),
                     options_.warmup ? ", less at first" : "");
}

}  // namespace yoke
