// yoke/parallel/hogwild.cpp: workers that change one vector of parameters without waiting for each
// other (Niu, Recht, Re and Wright 2011, "Hogwild!: A Lock-Free Approach to Parallelizing
// Stochastic Gradient Descent").
//
// A worker copies the parameters as they are, takes a step of its own optimizer on the copy, and
// adds what that changed. Workers are ranks of one host: processes, or threads of one process.
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/in_process.h"
#include "yoke/parallel/shared_vector.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using torch::Tensor;

class Hogwild final : public Strategy {
 public:
  explicit Hogwild(const Copies& copies)
      : Strategy(copies),
        shared_(copies.communicator.group(), copies.parameters.size()),
        before_(torch::zeros_like(copies.parameters.values())) {}

  void begin(const RunShape&) override {
    // Others have heard of rank 0 only once its parameters are there.
    if (copies_.communicator.rank() == 0) shared_.set(copies_.parameters.values());
    broadcast_model(copies_.parameters, copies_.buffers, copies_.communicator);
  }

  bool runs_free() const override { return true; }
  bool meets(std::int64_t) const override { return false; }

  Forward gradient(const Batch& batch, const StepKey& key) override {
    // Once a step: an optimizer that asks again has moved the copy.
    if (!in_step_) shared_.read(copies_.parameters.values(), before_);
    in_step_ = true;
    return copies_.engine.gradient(batch.alone(), key);
  }

  Tensor update(Optimizer& optimizer, const Objective& objective, const Rates& rates) override {
    Tensor loss = optimizer.step(objective, rates);
    shared_.add(copies_.parameters.values(), before_);
    in_step_ = false;
    ++updates_;
    return loss;
  }

  // Ranks have met: nobody adds.
  void synchronise() override {
    shared_.read(copies_.parameters.values(), before_);
    average_buffers(copies_.buffers, copies_.communicator);
  }

  double communication_seconds() const override { return 0; }

  Counters counters() const override { return {{"updates", static_cast<double>(updates_)}}; }

 private:
  SharedVector shared_;
  const Tensor before_;  // fp32 [P], as read
  bool in_step_ = false;
  std::int64_t updates_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_hogwild(const Copies& copies, Options& options) {
  read_workers(options);
  if (!copies.parameters.values().is_cpu()) {
    throw UsageError(
        "hogwild adds to one vector in the memory of the processor, which a GPU cannot do word by "
        "word; give --device cpu, or --strategy allreduce for GPUs");
  }
  return std::make_unique<Hogwild>(copies);
}

}  // namespace yoke
