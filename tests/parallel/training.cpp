#include "tests/parallel/training.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "yoke/comm/factory.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/parallel/agreement.h"

namespace yoke::test {
namespace {

using torch::Tensor;

struct Classifier : torch::nn::Module {
  explicit Classifier(int seed) {
    first = register_module("first", torch::nn::Linear(12, 30));
    last = register_module("last", torch::nn::Linear(30, 4));
    const torch::NoGradGuard no_grad;
    for (auto& parameter : parameters()) {
      parameter.copy_((torch::arange(parameter.numel()).view_as(parameter) * (seed + 7)).sin() / 3);
    }
  }
  torch::nn::Linear first{nullptr}, last{nullptr};
};

/// The mean over all ranks of what is a mean over each one's images.
double mean_loss(const Tensor& loss, std::int64_t images, Communicator& communicator) {
  const auto count = static_cast<double>(images);
  const Tensor sums = torch::tensor({loss.item<double>() * count, count}, torch::kFloat64);
  communicator.all_reduce(sums);
  return (sums[0] / sums[1]).item<double>();
}

}  // namespace

Model classifier(int seed) {
  auto module = std::make_shared<Classifier>(seed);
  return {module,
          [module](const Tensor& input) {
            return module->last(module->first(input.flatten(1)).relu());
          },
          {1, 3, 4}};
}

Batch batch_of(std::int64_t images) {
  return {.input = (torch::arange(images * 12).view({images, 1, 3, 4}) * 1.7).cos(),
          .target = torch::arange(images) % 4};
}

Batch share_of(const Batch& whole, int rank, int ranks) {
  const std::int64_t parts = static_cast<std::int64_t>(ranks) * (ranks - 1) / 2;
  if (rank < 0) return whole.slice(0, 0);
  if (parts == 0) return whole;
  const std::int64_t begin = static_cast<std::int64_t>(rank) * (rank - 1) / 2;
  return whole.slice(whole.size() * begin / parts, whole.size() * (begin + rank) / parts);
}

Trained train(const Training& training) {
  Trained result;
  run_ranks(training.ranks, [&](const Group& group) {
    at::set_num_threads(1);
    Model model = classifier(group.rank);  // begin() makes them equal
    const auto communicator =
        make_communicator(training.ranks == 1 ? "single" : training.comm, group);
    const FlatParameters::Allocate shared = [&](std::int64_t elements) {
      return communicator->allocate(elements);
    };
    FlatParameters parameters(*model.module, shared,
                              strategies().choose(training.strategy).traits.gathers_values
                                  ? shared
                                  : FlatParameters::Allocate());
    const auto engine = make_eager_engine(model, parameters);
    const auto strategy = make_strategy(
        training.strategy, {*engine, parameters, {}, *communicator, training.optimizer});
    const Workers& workers = strategy->workers();
    const DataShard shard = workers.data_shard();
    strategy->begin({.epochs = Epochs(training.steps_per_epoch), .total_steps = training.steps});
    for (int step = 0; step < training.steps; ++step) {
      const std::int64_t images = step + 1 == training.steps ? 1 : 17;
      const Batch batch = share_of(batch_of(images), shard.index, shard.count);
      const StepResult found =
          strategy->step(batch, {.step = step}, {.lr = training.lr, .momentum = training.momentum});
      const double mean = mean_loss(found.loss, batch.size(), *communicator);
      if (group.rank == 0) result.losses.push_back(mean);
      if (workers.next_meeting(step) == step + 1 && shard.count == training.ranks)
        check_agreement(parameters.values(), *communicator);
    }
    const auto go_on = strategy->synchronise();
    check_agreement(parameters.values(), *communicator);
    if (group.rank != 0) return;
    result.values = parameters.values().clone();
    result.counters = strategy->statistics().counters;
  });
  return result;
}

void expect_near(const Trained& a, const Trained& b, double tolerance) {
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    EXPECT_NEAR(a.losses[i], b.losses[i], tolerance) << "step " << i;
  }
  EXPECT_TRUE(a.values.allclose(b.values, tolerance, tolerance))
      << (a.values - b.values).abs().max();
}

}  // namespace yoke::test
