// yoke/parallel/averaging.cpp: each rank trains by itself, and now and then all go on from the mean
// of their parameters, weighted by the images that each has seen since the last time.
//
// every=end is parallel SGD (Zinkevich et al. 2010, algorithm 3), every=H local SGD (Stich 2019),
// with warmup post-local SGD (Lin et al. 2020), with outer=nesterov DiLoCo (Douillard et al. 2023,
// algorithm 1).
#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <optional>

#include "yoke/core/clock.h"
#include "yoke/core/error.h"
#include "yoke/optim/sgd_update.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using torch::Tensor;

constexpr std::int64_t kAtTheEnd = std::numeric_limits<std::int64_t>::max();

/// SGD on what the ranks have moved together.
struct Outer {
  double lr = 0.7;
  double momentum = 0.9;
};

struct AveragingOptions {
  std::int64_t every = 1;      // steps
  double warmup = 0;           // epochs of all-reduce
  bool own_start = false;      // whether ranks begin with parameters of their own
  std::optional<Outer> outer;  // else the mean as it is
  std::string momentum;        // what becomes of the optimizer's state at a mean
};

/// `end` or a number of steps.
std::int64_t read_every(Options& options) {
  const bool end = options.contains("every") && options.get("every", std::string()) == "end";
  return end ? kAtTheEnd : options.get("every", std::int64_t{16}, 1);
}

std::optional<Outer> read_outer(Options& options) {
  const std::string text = options.get("outer", std::string("none"));
  Choice choice = Choice::parse_inner(text, "outer optimizer");
  if (choice.name != "none" && choice.name != "nesterov") {
    throw UsageError(
        fmt::format("outer is '{}'; allowed: none, nesterov:lr=0.7+momentum=0.9", text));
  }
  Outer outer;
  if (choice.name == "nesterov") {
    outer.lr = choice.options.get("lr", outer.lr, 0.0);
    outer.momentum = choice.options.get("momentum", outer.momentum, 0.0, 1.0);
  }
  choice.options.finish();
  return choice.name == "none" ? std::nullopt : std::optional(outer);
}

class Averaging final : public Strategy {
 public:
  Averaging(const Copies& copies, AveragingOptions options)
      : Strategy(copies), options_(std::move(options)) {
    const Tensor& values = copies_.parameters.values();
    if (options_.warmup > 0) together_ = make_strategy("allreduce", copies);
    const std::int64_t elements = values.numel() + 1;
    sum_ = values.is_cpu() ? copies_.communicator.allocate(elements)
                           : torch::zeros({elements}, values.options());
    if (!options_.outer) return;
    anchor_ = torch::zeros_like(values);
    velocity_ = torch::zeros_like(values);
  }

  void begin(const RunShape& run) override {
    broadcast_model(copies_.parameters, copies_.buffers, copies_.communicator);
    if (together_) together_->begin(run);
    if (options_.own_start && run.first_step == 0) shuffle_parameters();
    step_ = run.first_step;
    total_steps_ = run.total_steps;
    const double steps = options_.warmup * static_cast<double>(run.steps_per_epoch);
    warmup_steps_ = static_cast<std::int64_t>(std::llround(steps));
    if (anchor_.defined() && run.first_step <= warmup_steps_) {
      anchor_.copy_(copies_.parameters.values());
    }
  }

  std::string warning() const override {
    if (options_.every != kAtTheEnd || copies_.communicator.size() == 1) return {};
    return "warning: every=end averages once, when the ranks may have gone too far apart for their "
           "mean to be any good: of lab-cnn on MNIST, 8 epochs on 2 to 5 ranks, it left 11 to 97 % "
           "accuracy where every=16 had 99 %";
  }

  bool meets(std::int64_t step) const override {
    return warming_up(step) || step + 1 == total_steps_ || (step + 1) % options_.every == 0;
  }

  Forward gradient(const Batch& batch, const StepKey& key) override {
    if (warming_up(step_)) return together_->gradient(batch, key);
    images_ += static_cast<double>(batch.size());
    apart_ = true;
    return copies_.engine.gradient(batch.alone(), key);
  }

  Tensor update(Optimizer& optimizer, const Objective& objective, const Rates& rates) override {
    Tensor loss = warming_up(step_) ? together_->update(optimizer, objective, rates)
                                    : optimizer.step(objective, rates);
    if (warming_up(step_)) {
      if (anchor_.defined()) anchor_.copy_(copies_.parameters.values());
    } else if (meets(step_)) {
      end_round(optimizer);
    }
    ++step_;
    return loss;
  }

  // For the while: measuring must not change what is trained.
  void synchronise() override {
    if (!apart_) return;
    own_ = {copies_.parameters.values().clone()};
    for (const auto& buffer : copies_.buffers) own_.push_back(buffer.clone());
    take_mean();
    average_buffers(copies_.buffers, copies_.communicator);
  }

  void go_on() override {
    if (own_.empty()) return;
    copies_.parameters.values().copy_(own_.front());
    for (std::size_t i = 0; i < copies_.buffers.size(); ++i) {
      Tensor(copies_.buffers[i]).copy_(own_[i + 1]);
    }
    own_.clear();
  }

  NamedTensors state() override {
    if (!anchor_.defined()) return {};
    return {{"averaging.anchor", anchor_}, {"averaging.velocity", velocity_}};
  }

  double communication_seconds() const override {
    return communication_seconds_ + (together_ ? together_->communication_seconds() : 0);
  }

  Counters counters() const override { return {{"rounds", static_cast<double>(rounds_)}}; }

 private:
  bool warming_up(std::int64_t step) const { return step < warmup_steps_; }

  /// Where the numbers of a parameter were drawn alike, any order of them is as good a start.
  void shuffle_parameters() {
    if (copies_.communicator.rank() == 0) return;
    auto random = torch::make_generator<at::CPUGeneratorImpl>(
        static_cast<std::uint64_t>(copies_.communicator.rank()));
    for (const auto& slice : copies_.parameters.slices()) {
      Tensor values = copies_.parameters.values().narrow(0, slice.offset, slice.elements);
      values.copy_(values.index({torch::randperm(slice.elements, random).to(values.device())}));
    }
  }

  void end_round(Optimizer& optimizer) {
    const Stopwatch watch;
    take_mean();
    if (options_.outer) move_anchor(*options_.outer);
    average_buffers(copies_.buffers, copies_.communicator);
    treat_momentum(optimizer);
    images_ = 0;
    apart_ = false;
    ++rounds_;
    communication_seconds_ += watch.seconds();
  }

  /// Replaces the parameters by their mean; one all-reduce carries the weights, too.
  void take_mean() {
    if (copies_.communicator.size() == 1) return;
    Tensor& values = copies_.parameters.values();
    const Tensor mean = sum_.narrow(0, 0, values.numel());
    weight().fill_(images_);
    mean.copy_(values).mul_(images_);
    copies_.communicator.all_reduce(sum_);
    values.copy_(mean).div_(weight());
  }

  /// The images that all ranks have seen, once there is a mean.
  Tensor weight() { return sum_[sum_.numel() - 1]; }

  /// The way from the anchor to the mean is the outer gradient, backwards.
  void move_anchor(const Outer& outer) {
    Tensor& values = copies_.parameters.values();
    sgd_update(anchor_, anchor_ - values, velocity_,
               {.lr = outer.lr, .momentum = outer.momentum, .nesterov = true});
    values.copy_(anchor_);
  }

  void treat_momentum(Optimizer& optimizer) {
    if (options_.momentum == "keep") return;
    for (auto& [name, tensor] : optimizer.state()) {
      if (options_.momentum == "reset") {
        tensor.zero_();
      } else if (tensor.is_floating_point() && copies_.communicator.size() > 1) {
        tensor.mul_(images_);
        copies_.communicator.all_reduce(tensor);
        tensor.div_(weight());
      }
    }
  }

  const AveragingOptions options_;
  std::unique_ptr<Strategy> together_;  // for the warm-up
  Tensor sum_;                          // fp32 [P + 1]: weighted parameters, and the weight
  Tensor anchor_, velocity_;            // fp32 [P] of the outer optimizer, else undefined
  std::vector<Tensor> own_;             // parameters and buffers, while the mean is measured
  double images_ = 0;                   // since the last round
  bool apart_ = false;                  // whether ranks may differ; the same on all
  std::int64_t warmup_steps_ = 0, total_steps_ = 0, step_ = 0, rounds_ = 0;
  double communication_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_averaging(const Copies& copies, Options& options) {
  AveragingOptions chosen{
      .every = read_every(options),
      .warmup = options.get("warmup", 0.0, 0.0),
      .own_start = options.get("start", std::string("same"), {"same", "own"}) == "own",
      .outer = read_outer(options),
      .momentum = options.get("momentum", std::string("keep"), {"keep", "reset", "average"})};
  return std::make_unique<Averaging>(copies, std::move(chosen));
}

}  // namespace yoke
