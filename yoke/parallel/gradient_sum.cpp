#include "yoke/parallel/gradient_sum.h"

#include <torch/utils.h>

#include <algorithm>
#include <vector>

#include "yoke/core/system/clock.h"

namespace yoke {

GradientSum::GradientSum(const StrategyContext& context, const GradientSumOptions& options,
                         Shards* shards)
    : engine_(context.engine),
      parameters_(context.parameters),
      communicator_(context.communicator),
      accumulate_(options.accumulate),
      parts_meet_(options.parts_meet),
      shards_(shards),
      compression_(make_compression(options.compress, parameters_, communicator_)),
      filler_(that_learn(cut_into_buckets(parameters_, options.buckets), parameters_),
              [this](std::size_t bucket) {
                if (shards_ == nullptr) compression_->start(filler_.buckets()[bucket]);
              }) {}

Forward GradientSum::compute(const Batch& batch, const StepKey& key) {
  if (communicator_.size() == 1 && accumulate_ == 1) return engine_.gradient(batch, key);
  filler_.reset();
  Forward forward = accumulate(batch, key);
  const Stopwatch waiting;
  const auto loss = forward.loss.clone();
  const Work summed = communicator_.start(Operation::all_reduce(loss));
  shards_ == nullptr ? compression_->finish() : shards_->sum_gradients();
  summed.wait();
  forward.loss = loss;
  seconds_ += waiting.seconds();
  return forward;
}

/// The batch in `accumulate` parts, whose gradients are added up; during the last, what is done
/// goes to the other ranks.
Forward GradientSum::accumulate(const Batch& batch, const StepKey& key) {
  auto& gradients = parameters_.gradients();
  const std::int64_t ranks = communicator_.size();
  const std::int64_t most = parts_meet_ ? (batch.whole() + ranks - 1) / ranks : batch.size();
  const std::int64_t parts = std::clamp<std::int64_t>(most, 1, accumulate_);
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
    const Batch slice = batch.slice(batch.size() * part / parts, batch.size() * (part + 1) / parts);
    Forward forward = engine_.gradient(slice, key, last ? ready : GradientReady());
    loss = loss.to(forward.loss.device()) + forward.loss;
    scores.push_back(forward.scores);
    if (!last) sum = sum.defined() ? sum.add_(gradients) : gradients.clone();
  }
  return {.loss = loss, .scores = scores.size() == 1 ? scores.front() : torch::cat(scores)};
}

}  // namespace yoke
