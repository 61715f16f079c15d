// Buffers of the model, such as running statistics: each rank has its own until ranks meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/parallel/training.h"
#include "yoke/comm/factory.h"
#include "yoke/engine/eager.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// One rank of a training, with a buffer that nothing but its strategy and the test change.
struct Copy {
  Copy(const Group& group, const std::string& text)
      : communicator(make_communicator("shared-memory", group)),
        model(classifier(group.rank)),
        parameters(*model.module),
        engine(make_eager_engine(model, parameters)),
        strategy(make_strategy(text, {*engine, parameters, {buffer}, *communicator})),
        optimizer(strategy->make_optimizer("sgd:momentum=0.9")) {
    at::set_num_threads(1);
    strategy->begin({.steps_per_epoch = 4, .total_steps = 100});
    buffer.fill_(group.rank + 1);
  }

  void take_step(int step) {
    const Place place = strategy->place();
    if (place.index < 0) return strategy->attend(step);
    const Batch batch = share_of(batch_of(17), place.index, place.count);
    strategy->update(*optimizer, [&] { return strategy->gradient(batch, {.step = step}).loss; },
                     {.lr = 0.1});
  }

  std::unique_ptr<Communicator> communicator;
  Model model;
  FlatParameters parameters;
  Tensor buffer = torch::zeros({3});
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<Optimizer> optimizer;
};

void expect_buffer(const Copy& copy, float value) {
  EXPECT_TRUE(copy.buffer.equal(torch::full({3}, value))) << copy.buffer;
}

struct Case {
  const char* name;
  const char* strategy;
  float mean;  // of rank + 1 over the workers of three ranks
};

class Buffers : public testing::TestWithParam<Case> {};

TEST_P(Buffers, AreTheirMeanOverWorkersWhereTheModelIsMeasured) {
  run_ranks(3, [](const Group& group) {
    Copy copy(group, GetParam().strategy);
    copy.take_step(0);
    copy.strategy->synchronise();
    expect_buffer(copy, GetParam().mean);
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, Buffers,
                         testing::Values(Case{"AllReduce", "allreduce", 2},
                                         Case{"Averaging", "averaging:every=4", 2},
                                         Case{"AllServe", "parameter-server", 2},
                                         Case{"OneServes", "parameter-server:servers=1", 2.5F},
                                         Case{"Hogwild", "hogwild", 2}),
                         [](const auto& info) { return info.param.name; });

TEST(Averaging, TakesTheMeanOfBuffersAtARound) {
  run_ranks(3, [](const Group& group) {
    Copy copy(group, "averaging:every=2");
    copy.take_step(0);
    expect_buffer(copy, static_cast<float>(group.rank + 1));
    copy.take_step(1);
    expect_buffer(copy, 2);
  });
}

TEST(Averaging, GivesEachRankItsOwnBackOnceTheMeanIsMeasured) {
  run_ranks(3, [](const Group& group) {
    Copy copy(group, "averaging:every=4");
    copy.take_step(0);
    const Tensor own = copy.parameters.values().clone();
    copy.strategy->synchronise();
    EXPECT_FALSE(copy.parameters.values().allclose(own));
    copy.strategy->go_on();
    EXPECT_TRUE(copy.parameters.values().equal(own));
    expect_buffer(copy, static_cast<float>(group.rank + 1));
  });
}

}  // namespace
}  // namespace yoke::test
