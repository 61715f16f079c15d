// yoke/parallel/allreduce.cpp: synchronous data parallel training; every rank applies the mean
// gradient over the images of all ranks. With shard_state each rank keeps the optimizer's state of
// its part of the parameters alone (shards.h).
#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/gradient_sum.h"
#include "yoke/parallel/in_step.h"
#include "yoke/parallel/sharded_optimizer.h"

namespace yoke {
namespace {

struct AllReduceOptions {
  GradientSumOptions sum;
  std::int64_t check_every;  // steps; 0 never
  bool sync_batchnorm;
  bool shard_state;
};

AllReduceOptions read(Options& options) {
  constexpr double kMiB = 1 << 20;
  AllReduceOptions chosen{
      .sum = {.buckets = {.first_bucket_bytes = static_cast<std::int64_t>(
                              kMiB * options.get("first_bucket_mib", 1.0, 0.0, 1e6)),
                          .bucket_bytes = static_cast<std::int64_t>(
                              kMiB * options.get("bucket_mib", 25.0, 0.0, 1e6))},
              .accumulate = options.get("accumulate", std::int64_t{1}, 1, 1 << 20),
              .compress = options.get("compress", std::string("none"))},
      .check_every = options.get("check_every", std::int64_t{0}, 0),
      .sync_batchnorm = options.get("sync_batchnorm", false),
      .shard_state = options.get("shard_state", false)};
  chosen.sum.parts_meet = chosen.sync_batchnorm;
  if (chosen.shard_state && chosen.sum.compress != "none") {
    throw UsageError(fmt::format(
        "strategy 'allreduce' was given shard_state=true with compress={}: a compressed gradient "
        "is summed whole on every rank, not in parts; leave out one of the two",
        chosen.sum.compress));
  }
  return chosen;
}

class AllReduce final : public Strategy {
 public:
  AllReduce(const StrategyContext& context, const AllReduceOptions& options)
      : context_(context),
        options_(options),
        workers_(place_of(context.communicator)),
        shards_(options.shard_state && context.communicator.size() > 1
                    ? std::make_unique<Shards>(context.parameters, context.communicator)
                    : nullptr),
        sum_(context, options.sum, shards_.get()),
        optimizer_(make_optimizer()) {
    if (!options.sync_batchnorm) return;
    context_.engine.synchronise_batch_norm(
        [this](const torch::Tensor& tensor) { context_.communicator.all_reduce(tensor); });
  }

  Workers& workers() override { return workers_; }
  const Optimizer& optimizer() const override { return *optimizer_; }

  void begin(const RunShape&) override {
    broadcast_model(context_.parameters, context_.buffers, context_.communicator);
  }

  StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) override {
    const double waited = waited_seconds();
    StepResult result = take_step(
        *optimizer_, [&] { return sum_.compute(batch, key); }, rates);
    if (options_.check_every > 0 && ++steps_ % options_.check_every == 0) {
      check_agreement(context_.parameters.values(), context_.communicator);
    }
    result.communication_seconds = waited_seconds() - waited;
    return result;
  }

  std::function<void()> synchronise() override {
    average_buffers(context_.buffers, context_.communicator);
    sum_.compression().synchronise();
    return [] {};
  }

  NamedTensors state() override {
    NamedTensors state = optimizer_->state();
    for (auto& tensor : sum_.compression().state()) state.push_back(std::move(tensor));
    return state;
  }
  void restored() override {
    sum_.compression().restored();
    if (shards_) shards_->put_back();
  }

  StrategyStatistics statistics() const override { return {}; }

 private:
  std::unique_ptr<Optimizer> make_optimizer() {
    const auto make = [this](const Shard& shard) { return optimizer_of(context_, shard); };
    auto optimizer = shards_ ? make_sharded_optimizer(make, *shards_) : make(context_.parameters);
    check(*optimizer);
    return optimizer;
  }

  void check(const Optimizer& optimizer) {
    if (sum_.compression().state().empty()) return;
    if (context_.scaler != nullptr) {
      throw UsageError(fmt::format(
          "compress={} carries errors of gradients from one step to the next, in which the loss "
          "scale may be another, or one overflowed; leave out compress, or give --precision bf16 "
          "or fp32",
          options_.sum.compress));
    }
    if (optimizer.first_order()) return;
    throw UsageError(fmt::format(
        "--optimizer {} compares gradients within a step, but compress={} carries errors from "
        "one to the next; leave out compress, or give another optimizer",
        context_.optimizer, options_.sum.compress));
  }

  double waited_seconds() const { return sum_.seconds() + (shards_ ? shards_->seconds() : 0); }

  const StrategyContext context_;
  const AllReduceOptions options_;
  InStep workers_;
  const std::unique_ptr<Shards> shards_;  // null unless each rank has state of its part alone
  GradientSum sum_;
  const std::unique_ptr<Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_allreduce(const StrategyContext& context, Options& options) {
  return std::make_unique<AllReduce>(context, read(options));
}

}  // namespace yoke
