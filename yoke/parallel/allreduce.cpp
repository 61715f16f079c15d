// yoke/parallel/allreduce.cpp: synchronous data parallel training; every rank applies the mean
// gradient over the images of all ranks, reduced in buckets while the backward pass goes on (Li et
// al. 2020, "PyTorch Distributed: Experiences on Accelerating Data Parallel Training"). With
// shard_state each rank keeps the optimizer's state of its part of the parameters alone (shards.h).
#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/clock.h"
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/buckets.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/sharded_optimizer.h"
#include "yoke/parallel/shards.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

struct AllReduceOptions {
  std::int64_t first_bucket_bytes;
  std::int64_t bucket_bytes;
  std::int64_t accumulate;   // parts of a rank's batch, one after the other
  std::int64_t check_every;  // steps; 0 never
  bool sync_batchnorm;
  std::string compress;
  bool shard_state;
};

AllReduceOptions read(Options& options) {
  constexpr double kMiB = 1 << 20;
  AllReduceOptions chosen{
      .first_bucket_bytes =
          static_cast<std::int64_t>(kMiB * options.get("first_bucket_mib", 1.0, 0.0, 1e6)),
      .bucket_bytes = static_cast<std::int64_t>(kMiB * options.get("bucket_mib", 25.0, 0.0, 1e6)),
      .accumulate = options.get("accumulate", std::int64_t{1}, 1, 1 << 20),
      .check_every = options.get("check_every", std::int64_t{0}, 0),
      .sync_batchnorm = options.get("sync_batchnorm", false),
      .compress = options.get("compress", std::string("none")),
      .shard_state = options.get("shard_state", false)};
  if (chosen.shard_state && chosen.compress != "none") {
    throw UsageError(fmt::format(
        "strategy 'allreduce' was given shard_state=true with compress={}: a compressed gradient "
        "is summed whole on every rank, not in parts; leave out one of the two",
        chosen.compress));
  }
  return chosen;
}

class AllReduce final : public Strategy {
 public:
  AllReduce(const Copies& copies, const AllReduceOptions& options)
      : Strategy(copies),
        options_(options),
        compression_(make_compression(options.compress, copies.parameters, copies.communicator)),
        filler_(
            cut_into_buckets(copies.parameters, options.first_bucket_bytes, options.bucket_bytes),
            [this](std::size_t bucket) {
              if (!shards_) compression_->start(filler_.buckets()[bucket]);
            }) {
    if (options.shard_state && copies.communicator.size() > 1) {
      shards_ = std::make_unique<Shards>(copies.parameters, copies.communicator);
    }
    if (!options.sync_batchnorm) return;
    copies_.engine.synchronise_batch_norm(
        [this](const torch::Tensor& tensor) { copies_.communicator.all_reduce(tensor); });
  }

  std::unique_ptr<Optimizer> make_optimizer(std::string_view text) override {
    if (!shards_) {
      auto optimizer = Strategy::make_optimizer(text);
      if (copies_.scaler != nullptr && !compression_->state().empty()) {
        throw UsageError(fmt::format(
            "compress={} carries errors of gradients from one step to the next, in which the loss "
            "scale may be another, or one overflowed; leave out compress, or give --precision bf16 "
            "or fp32",
            options_.compress));
      }
      if (!optimizer->first_order() && !compression_->state().empty()) {
        throw UsageError(fmt::format(
            "--optimizer {} compares gradients within a step, but compress={} carries errors from "
            "one to the next; leave out compress, or give another optimizer",
            text, options_.compress));
      }
      return optimizer;
    }
    return make_sharded_optimizer([&](const Shard& shard) { return optimizer_of(text, shard); },
                                  *shards_);
  }

  void begin(const RunShape&) override {
    broadcast_model(copies_.parameters, copies_.buffers, copies_.communicator);
  }

  Forward gradient(const Batch& batch, const StepKey& key) override {
    if (copies_.communicator.size() == 1 && options_.accumulate == 1) {
      return copies_.engine.gradient(batch, key);
    }
    filler_.reset();
    Forward forward = accumulate(batch, key);
    const Stopwatch waiting;
    const auto loss = forward.loss.clone();
    const Work summed = copies_.communicator.start(Operation::all_reduce(loss));
    shards_ ? shards_->sum_gradients() : compression_->finish();
    summed.wait();
    forward.loss = loss;
    communication_seconds_ += waiting.seconds();
    return forward;
  }

  torch::Tensor update(Optimizer& optimizer, const Objective& objective,
                       const Rates& rates) override {
    const auto loss = optimizer.step(objective, rates);
    if (options_.check_every > 0 && ++steps_ % options_.check_every == 0) {
      check_agreement(copies_.parameters.values(), copies_.communicator);
    }
    return loss;
  }

  void synchronise() override {
    average_buffers(copies_.buffers, copies_.communicator);
    compression_->synchronise();
  }

  NamedTensors state() override { return compression_->state(); }
  void restored() override {
    compression_->restored();
    if (shards_) shards_->put_back();
  }

  double communication_seconds() const override {
    return communication_seconds_ + (shards_ ? shards_->seconds() : 0);
  }

 private:
  /// The batch in `accumulate` parts, whose gradients are added up; during the last, what is done
  /// goes to the other ranks.
  Forward accumulate(const Batch& batch, const StepKey& key) {
    auto& gradients = copies_.parameters.gradients();
    // Ranks meet in each part where batch norms are synchronised: all have as many as the largest.
    const std::int64_t ranks = copies_.communicator.size();
    const std::int64_t most =
        options_.sync_batchnorm ? (batch.whole() + ranks - 1) / ranks : batch.size();
    const std::int64_t parts = std::clamp<std::int64_t>(most, 1, options_.accumulate);
    torch::Tensor sum, loss = torch::zeros({});
    std::vector<torch::Tensor> scores;
    const GradientReady ready = [&](std::int64_t begin, std::int64_t end) {
      if (sum.defined()) {
        gradients.narrow(0, begin, end - begin).add_(sum.narrow(0, begin, end - begin));
      }
      filler_.fill(begin, end);
    };
    for (std::int64_t part = 0; part < parts; ++part) {
      const bool last = part + 1 == parts;
      const Batch slice =
          batch.slice(batch.size() * part / parts, batch.size() * (part + 1) / parts);
      Forward forward = copies_.engine.gradient(slice, key, last ? ready : GradientReady());
      loss = loss.to(forward.loss.device()) + forward.loss;
      scores.push_back(forward.scores);
      if (!last) sum = sum.defined() ? sum.add_(gradients) : gradients.clone();
    }
    return {.loss = loss, .scores = scores.size() == 1 ? scores.front() : torch::cat(scores)};
  }

  const AllReduceOptions options_;
  const std::unique_ptr<Compression> compression_;
  BucketFiller filler_;
  std::unique_ptr<Shards> shards_;  // null unless each rank has state of its part alone
  std::int64_t steps_ = 0;
  double communication_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_allreduce(const Copies& copies, Options& options) {
  return std::make_unique<AllReduce>(copies, read(options));
}

}  // namespace yoke
