// yoke/parallel/strategies/allreduce.cpp: synchronous data parallel training; every rank applies
// the mean gradient over the images of all ranks. With shard_state each rank keeps the optimizer's
// state of its part of the parameters alone (shards.h).
#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/plugins/inner_plugin.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/buckets.h"
#include "yoke/parallel/gradient_sum.h"
#include "yoke/parallel/sharding/sharded_optimizer.h"
#include "yoke/parallel/workers/in_step.h"

namespace yoke {
namespace {

struct AllReduceOptions {
  double first_bucket_mib = static_cast<double>(BucketSizes().first_bucket_bytes) / kMiB;
  double bucket_mib = static_cast<double>(BucketSizes().bucket_bytes) / kMiB;
  std::int64_t accumulate = GradientSumOptions().accumulate;
  std::string compress = GradientSumOptions().compress;
  bool shard_state = false;
  bool sync_batchnorm = false;
  std::int64_t check_every = 0;

  GradientSumOptions sum() const {
    return {.buckets = {.first_bucket_bytes = static_cast<std::int64_t>(kMiB * first_bucket_mib),
                        .bucket_bytes = static_cast<std::int64_t>(kMiB * bucket_mib)},
            .accumulate = accumulate,
            .parts_meet = sync_batchnorm,
            .compress = compress};
  }
};

OptionTable<AllReduceOptions> allreduce_options() {
  using O = AllReduceOptions;
  return {
      {"first_bucket_mib", &O::first_bucket_mib, in(0, 1e6),
       "the first bucket is at least so large; a small one starts early"},
      {"bucket_mib", &O::bucket_mib, in(0, 1e6), "the others; 0 is one bucket per parameter"},
      {"accumulate", &O::accumulate, in(1, 1 << 20),
       "computes a rank's share in so many parts, one after the other, with the memory of one; the "
       "gradient is the same but for rounding"},
      {"compress", &O::compress, choice_format(compressions),
       "how gradients are written on the way"},
      {"shard_state", &O::shard_state,
       "each rank keeps the optimizer's state of its part of the parameters alone; see below"},
      {"sync_batchnorm", &O::sync_batchnorm,
       "batch norm takes mean and variance over the images of all ranks, forward and backward; "
       "needs "
       "`--engine eager`"},
      {"check_every", &O::check_every, at_least(0),
       "every so many steps, compares a hash of the parameters over ranks; a difference ends the "
       "run "
       "and names the ranks; 0: never"},
  };
}

void check(const AllReduceOptions& options) {
  if (!options.shard_state || options.compress == GradientSumOptions().compress) return;
  throw UsageError(fmt::format(
      "strategy 'allreduce' was given shard_state=true with compress={}: a compressed gradient "
      "is summed whole on every rank, not in parts; leave out one of the two",
      options.compress));
}

forecast::StrategyPlan plan_allreduce(const AllReduceOptions& options) {
  check(options);
  const auto element_bytes = compression_traits(options.compress).element_bytes;
  if (!element_bytes) refuse_plan(options.compress.c_str(), "give another compress");
  if (options.accumulate > 1) refuse_plan("accumulate", "leave it out");
  if (options.sync_batchnorm) refuse_plan("sync_batchnorm", "leave it out");
  return {.kind = forecast::StrategyKind::kAllReduce,
          .element_bytes = *element_bytes,
          .first_bucket_bytes = kMiB * options.first_bucket_mib,
          .bucket_bytes = kMiB * options.bucket_mib,
          .shard_state = options.shard_state};
}

class AllReduce final : public Strategy {
 public:
  AllReduce(const StrategyContext& context, const AllReduceOptions& options)
      : context_(context),
        options_(options),
        workers_(data_shard_of(context.communicator)),
        shards_(options.shard_state && context.communicator.size() > 1
                    ? std::make_unique<Shards>(context.parameters, context.communicator)
                    : nullptr),
        sum_(context, options.sum(), shards_.get()),
        optimizer_(make_optimizer()) {
    if (!options.sync_batchnorm) return;
    context_.engine.synchronise_batch_norm(
        [this](const torch::Tensor& tensor) { context_.communicator.all_reduce(tensor); });
  }

  Workers& workers() override { return workers_; }

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
    check_compression();
    return shards_ ? make_sharded_optimizer(make, *shards_) : make(context_.parameters);
  }

  void check_compression() {
    if (sum_.compression().state().empty()) return;
    if (context_.scaler != nullptr) {
      throw UsageError(fmt::format(
          "compress={} carries errors of gradients from one step to the next, in which the loss "
          "scale may be another, or one overflowed; leave out compress, or give --precision bf16 "
          "or fp32",
          options_.compress));
    }
    if (optimizers().choose(context_.optimizer).traits.first_order) return;
    throw UsageError(fmt::format(
        "--optimizer {} compares gradients within a step, but compress={} carries errors from "
        "one to the next; leave out compress, or give another optimizer",
        context_.optimizer, options_.compress));
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

StrategyPlugin allreduce_strategy() {
  return {allreduce_options(),
          [](const StrategyContext& context, const AllReduceOptions& options) {
            check(options);
            return std::make_unique<AllReduce>(context, options);
          },
          [](const AllReduceOptions& options) {
            return StrategyTraits{.gathers_values = options.shard_state,
                                  .early_gradients = true,
                                  .plan = [options] { return plan_allreduce(options); }};
          }};
}

}  // namespace yoke
