// yoke/parallel/strategies/averaging.cpp: each rank trains by itself, and now and then all go on
// from the mean of their parameters, weighted by the images that each has seen since the last time.
//
// every=end is parallel SGD (Zinkevich et al. 2010, algorithm 3), every=H local SGD (Stich 2019),
// with warmup post-local SGD (Lin et al. 2020), with outer=nesterov DiLoCo (Douillard et al. 2023,
// algorithm 1).
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <optional>

#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/optim/optimizers/sgd_update.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/gradient_sum.h"
#include "yoke/parallel/strategies/averaging_options.h"
#include "yoke/parallel/workers/in_step.h"

namespace yoke {
namespace {

using torch::Tensor;

class Averaging final : public Strategy {
 public:
  Averaging(const StrategyContext& context, const AveragingOptions& options)
      : context_(context),
        options_(options),
        workers_(data_shard_of(context.communicator),
                 [this](std::int64_t step) { return next_meeting(step); }),
        optimizer_(optimizer_of(context, context.parameters)) {
    const Tensor& values = context_.parameters.values();
    if (options_.warmup > 0)
      together_ = std::make_unique<GradientSum>(context, GradientSumOptions());
    const std::int64_t elements = values.numel() + 1;
    sum_ = values.is_cpu() ? context_.communicator.allocate(elements)
                           : torch::zeros({elements}, values.options());
    warn();
    if (!options_.outer) return;
    anchor_ = torch::zeros_like(values);
    velocity_ = torch::zeros_like(values);
  }

  Workers& workers() override { return workers_; }

  void begin(const RunShape& run) override {
    broadcast_model(context_.parameters, context_.buffers, context_.communicator);
    if (options_.own_start && run.first_step == 0) shuffle_parameters();
    step_ = run.first_step;
    total_steps_ = run.total_steps;
    warmup_steps_ = run.epochs.steps_until(options_.warmup);
    if (anchor_.defined() && run.first_step <= warmup_steps_) {
      anchor_.copy_(context_.parameters.values());
    }
  }

  StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) override {
    const double waited = waited_seconds();
    if (round_is_due_) end_round();
    const bool warming_up = step_ < warmup_steps_;
    StepResult result = take_step(
        *optimizer_,
        [&] {
          return warming_up ? together_->compute(batch, key)
                            : context_.engine.gradient(batch.alone(), key);
        },
        rates);
    if (warming_up) {
      if (anchor_.defined()) anchor_.copy_(context_.parameters.values());
    } else {
      images_ += static_cast<double>(batch.size());
      apart_ = true;
      round_is_due_ = next_meeting(step_) == step_ + 1;
      // Else an evaluation that comes before the next step still finds each rank's own parameters.
      if (round_is_due_ && options_.evaluate == Evaluated::kMean) end_round();
    }
    ++step_;
    result.communication_seconds = waited_seconds() - waited;
    return result;
  }

  // For the while: measuring must not change what is trained.
  std::function<void()> synchronise() override {
    if (round_is_due_) end_round();
    if (!apart_) {
      // Each rank's batch norm has seen its own images of the warm-up.
      if (step_ > 0 && step_ <= warmup_steps_) {
        average_buffers(context_.buffers, context_.communicator);
      }
      return [] {};
    }
    std::vector<Tensor> own = {context_.parameters.values().clone()};
    for (const auto& buffer : context_.buffers) own.push_back(buffer.clone());
    take_mean();
    average_buffers(context_.buffers, context_.communicator);
    return [this, own = std::move(own)] {
      context_.parameters.values().copy_(own.front());
      for (std::size_t i = 0; i < context_.buffers.size(); ++i) {
        Tensor(context_.buffers[i]).copy_(own[i + 1]);
      }
    };
  }

  NamedTensors state() override {
    NamedTensors state = optimizer_->state();
    if (anchor_.defined()) {
      state.emplace_back("averaging.anchor", anchor_);
      state.emplace_back("averaging.velocity", velocity_);
    }
    return state;
  }
  void restored() override {}

  StrategyStatistics statistics() const override {
    return {.counters = {{"rounds", static_cast<double>(rounds_)}}};
  }

 private:
  void warn() const {
    if (!context_.warn || options_.every || context_.communicator.size() == 1) return;
    context_.warn(
        "warning: every=end averages once, when the ranks may have gone too far apart for their "
        "mean to be any good: of lab-cnn on MNIST, 8 epochs on 2 to 5 ranks, it left 11 to 97 % "
        "accuracy where every=16 had 99 %");
  }

  std::int64_t next_meeting(std::int64_t step) const {
    if (step < warmup_steps_) return step + 1;
    if (!options_.every) return std::max(total_steps_, step + 1);
    const std::int64_t round = (step / *options_.every + 1) * *options_.every;
    return step < total_steps_ ? std::min(round, total_steps_) : round;
  }

  double waited_seconds() const {
    return communication_seconds_ + (together_ ? together_->seconds() : 0);
  }

  /// Where the numbers of a parameter were drawn alike, any order of them is as good a start.
  void shuffle_parameters() {
    if (context_.communicator.rank() == 0) return;
    auto random = torch::make_generator<at::CPUGeneratorImpl>(
        static_cast<std::uint64_t>(context_.communicator.rank()));
    for (const auto& slice : context_.parameters.slices()) {
      if (slice.frozen) continue;
      Tensor values = context_.parameters.values().narrow(0, slice.offset, slice.elements);
      values.copy_(values.index({torch::randperm(slice.elements, random).to(values.device())}));
    }
  }

  void end_round() {
    const Stopwatch watch;
    take_mean();
    if (options_.outer) move_anchor(*options_.outer);
    average_buffers(context_.buffers, context_.communicator);
    treat_momentum();
    images_ = 0;
    apart_ = round_is_due_ = false;
    ++rounds_;
    communication_seconds_ += watch.seconds();
  }

  /// Replaces the parameters by their mean; one all-reduce carries the weights, too.
  void take_mean() {
    if (context_.communicator.size() == 1) return;
    Tensor& values = context_.parameters.values();
    const Tensor mean = sum_.narrow(0, 0, values.numel());
    weight().fill_(images_);
    mean.copy_(values).mul_(images_);
    context_.communicator.all_reduce(sum_);
    for (const auto& slice : context_.parameters.slices()) {
      if (slice.frozen) continue;  // a mean of equals may round
      Tensor moved = values.narrow(0, slice.offset, slice.elements);
      moved.copy_(mean.narrow(0, slice.offset, slice.elements)).div_(weight());
    }
  }

  /// The images that all ranks have seen, once there is a mean.
  Tensor weight() { return sum_[sum_.numel() - 1]; }

  /// The way from the anchor to the mean is the outer gradient, backwards.
  void move_anchor(const OuterOptimizer& outer) {
    Tensor& values = context_.parameters.values();
    sgd_update(anchor_, anchor_ - values, velocity_,
               {.lr = outer.lr, .momentum = outer.momentum, .nesterov = true});
    values.copy_(anchor_);
  }

  void treat_momentum() {
    if (options_.momentum == StateAtMean::kKeep) return;
    for (auto& [name, tensor] : optimizer_->state()) {
      if (options_.momentum == StateAtMean::kReset) {
        tensor.zero_();
      } else if (tensor.is_floating_point() && context_.communicator.size() > 1) {
        tensor.mul_(images_);
        context_.communicator.all_reduce(tensor);
        tensor.div_(weight());
      }
    }
  }

  const StrategyContext context_;
  const AveragingOptions options_;
  InStep workers_;
  const std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<GradientSum> together_;  // for the warm-up
  Tensor sum_;                             // fp32 [P + 1]: weighted parameters, and the weight
  Tensor anchor_, velocity_;               // fp32 [P] of the outer optimizer, else undefined
  double images_ = 0;                      // since the last round
  bool apart_ = false;                     // whether ranks may differ; the same on all
  bool round_is_due_ = false;              // likewise
  std::int64_t warmup_steps_ = 0, total_steps_ = 0, step_ = 0, rounds_ = 0;
  double communication_seconds_ = 0;
};

void check(const StrategyContext& context, const AveragingOptions& options) {
  if (options.own_start && options.warmup > 0) {
    throw UsageError(
        "strategy 'averaging' was given start=own with warmup, in which ranks take the same steps "
        "from the same parameters; leave out one of the two");
  }
  if (options.momentum != StateAtMean::kAverage) return;
  if (optimizers().choose(context.optimizer).traits.first_order) return;
  throw UsageError(fmt::format(
      "strategy 'averaging' was given momentum=average with --optimizer {}, whose state is of each "
      "rank's own way and has no mean; give momentum=keep or momentum=reset",
      context.optimizer));
}

}  // namespace

StrategyPlugin averaging_strategy() {
  return {averaging_options(),
          [](const StrategyContext& context, const AveragingOptions& options) {
            check(context, options);
            return std::make_unique<Averaging>(context, options);
          },
          [](const AveragingOptions& options) {
            return StrategyTraits{.evaluates_each_rank = options.evaluate == Evaluated::kEach,
                                  .plan = [options] { return plan_averaging(options); }};
          }};
}

}  // namespace yoke
