// yoke/parallel/allreduce.cpp: synchronous data parallel training; every rank applies the mean
// gradient over the images of all ranks.
#include "yoke/core/clock.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

class AllReduce final : public Strategy {
 public:
  AllReduce(FlatParameters& parameters, Communicator& communicator)
      : parameters_(parameters), communicator_(communicator) {}

  Forward gradient(Engine& engine, const Batch& batch, const StepKey& key) override {
    Forward forward = engine.gradient(batch, key);
    const Stopwatch waiting;
    // Weighted by images, so that the mean is over images whatever each rank holds.
    torch::Tensor images = torch::tensor(static_cast<double>(batch.size()));
    communicator_.all_reduce(images);
    const double weight = static_cast<double>(batch.size()) / images.item<double>();
    if (weight != 1.0) {
      parameters_.gradients().mul_(weight);
      forward.loss.mul_(weight);
    }
    communicator_.all_reduce(parameters_.gradients());
    communicator_.all_reduce(forward.loss);
    communication_seconds_ += waiting.seconds();
    return forward;
  }

  torch::Tensor update(Optimizer& optimizer, const Objective& objective,
                       const Rates& rates) override {
    return optimizer.step(objective, rates);
  }

  double communication_seconds() const override { return communication_seconds_; }

 private:
  FlatParameters& parameters_;
  Communicator& communicator_;
  double communication_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_allreduce(FlatParameters& parameters, Communicator& communicator,
                                         Options&) {
  return std::make_unique<AllReduce>(parameters, communicator);
}

}  // namespace yoke
