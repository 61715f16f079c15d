// The all-reduce strategy over ranks that are threads, on a network without dropout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/strategy.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// A linear classifier of 12 pixels, the same wherever it is made.
Model classifier(int seed) {
  struct Classifier : torch::nn::Module {
    explicit Classifier(int seed) {
      first = register_module("first", torch::nn::Linear(12, 30));
      last = register_module("last", torch::nn::Linear(30, 4));
      const torch::NoGradGuard no_grad;
      for (auto& parameter : parameters()) {
        parameter.copy_((torch::arange(parameter.numel()).view_as(parameter) * (seed + 7)).sin() /
                        3);
      }
    }
    torch::nn::Linear first{nullptr}, last{nullptr};
  };
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

/// This rank's share of a batch, as uneven as can be: rank r has r parts.
Batch share_of(const Batch& whole, int rank, int ranks) {
  const std::int64_t parts = static_cast<std::int64_t>(ranks) * (ranks - 1) / 2;
  if (parts == 0) return whole;
  const std::int64_t begin = static_cast<std::int64_t>(rank) * (rank - 1) / 2;
  return whole.slice(whole.size() * begin / parts, whole.size() * (begin + rank) / parts);
}

struct Result {
  std::vector<double> losses;
  Tensor values;
};

/// Six steps on `ranks` ranks.
Result train(const std::string& strategy_text, int ranks,
             const std::string& comm = "shared-memory") {
  Result result;
  run_ranks(ranks, [&](const Group& group) {
    at::set_num_threads(1);
    Model model = classifier(group.rank);  // begin() makes them equal
    const auto communicator = make_communicator(ranks == 1 ? "single" : comm, group);
    FlatParameters parameters(
        *model.module, [&](std::int64_t elements) { return communicator->allocate(elements); });
    const auto engine = make_eager_engine(model, parameters);
    const auto strategy = make_strategy(strategy_text, {*engine, parameters, {}, *communicator});
    const auto optimizer = make_optimizer("sgd:momentum=0.9", parameters);
    strategy->begin();
    for (int step = 0; step < 6; ++step) {
      const Batch batch = share_of(batch_of(step == 5 ? 1 : 17), group.rank, ranks);
      const auto loss = strategy->update(
          *optimizer, [&] { return strategy->gradient(batch, {.step = step}).loss; }, {.lr = 0.1});
      if (group.rank == 0) result.losses.push_back(loss.item<double>());
      check_agreement(parameters.values(), *communicator);
    }
    strategy->synchronise();
    if (group.rank == 0) result.values = parameters.values().clone();
  });
  return result;
}

void expect_near(const Result& a, const Result& b, double tolerance) {
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (std::size_t i = 0; i < a.losses.size(); ++i)
    EXPECT_NEAR(a.losses[i], b.losses[i], tolerance);
  EXPECT_TRUE(a.values.allclose(b.values, tolerance, tolerance));
}

TEST(AllReduceStrategy, TakesTheStepsOfOneRankWhateverTheShares) {
  const Result one = train("allreduce", 1);
  for (const int ranks : {2, 3, 4}) {
    for (const char* strategy : {"allreduce", "allreduce:bucket_mib=0,first_bucket_mib=0"}) {
      expect_near(train(strategy, ranks), one, 1e-5);
      expect_near(train(strategy, ranks, "gloo"), one, 1e-5);
    }
  }
}

TEST(AllReduceStrategy, AccumulatesPartsOfABatch) {
  const Result one = train("allreduce", 1);
  expect_near(train("allreduce:accumulate=3", 1), one, 1e-5);
  expect_near(train("allreduce:accumulate=5", 2), one, 1e-5);
}

TEST(AllReduceStrategy, TakesNearlyTheSameStepsCompressed) {
  const Result one = train("allreduce", 1);
  expect_near(train("allreduce:compress=bf16", 3), one, 2e-2);
  expect_near(train("allreduce:compress=fp16", 3), one, 2e-3);
  // Of full rank nothing is lost.
  expect_near(train("allreduce:compress=powersgd:rank=1024", 3), one, 1e-4);
}

TEST(PowerSgd, LosesNothingInTheLongRun) {
  constexpr int kSteps = 400;
  std::vector<Tensor> means(2);
  run_ranks(2, [&](const Group& group) {
    Model model = classifier(1);  // 30 x 12 and 4 x 30 weights
    const auto communicator = make_communicator("shared-memory", group);
    FlatParameters parameters(*model.module);
    const auto compression = make_compression("powersgd:rank=1", parameters, *communicator);
    const Tensor wanted = (torch::arange(parameters.size()) * (group.rank + 1.3)).sin();
    Tensor sum = torch::zeros_like(wanted);
    for (int step = 0; step < kSteps; ++step) {
      parameters.gradients().copy_(wanted);
      compression->start({0, parameters.size()});
      compression->finish();
      sum += parameters.gradients();
      if (step == kSteps / 2) compression->synchronise();  // moves what is left to rank 0
    }
    const Tensor total = wanted.clone();
    communicator->all_reduce(total);
    // One step cannot give it: the matrices are not of rank 1.
    EXPECT_GT((parameters.gradients() - total).abs().max().item<double>(), 0.1);
    EXPECT_LT((sum / kSteps - total).abs().max().item<double>(), 0.1);
    means[static_cast<std::size_t>(group.rank)] = sum;
  });
  EXPECT_TRUE(means[0].equal(means[1]));
}

TEST(AllReduceStrategy, RefusesAnUnknownCompression) {
  EXPECT_THROW(train("allreduce:compress=zip", 1), UsageError);
}

TEST(Agreement, NamesTheRanksThatDiffer) {
  run_ranks(3, [](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    const Tensor values = torch::ones({1001});
    check_agreement(values, *communicator);
    if (group.rank == 2) values[1000] += 1e-7;
    try {
      check_agreement(values, *communicator);
      ADD_FAILURE() << "not seen";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("rank 2 are not those of rank 0"));
    }
  });
}

}  // namespace
}  // namespace yoke::test
