// Buffers of the model, such as running statistics: each rank has its own until ranks meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parallel/copy.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// A copy whose buffer is rank + 1, at its first step.
struct Numbered : Copy {
  Numbered(const Group& group, const std::string& strategy) : Copy(group, strategy) {
    begin();
    buffer.fill_(group.rank + 1);
  }
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
    Numbered copy(group, GetParam().strategy);
    copy.take_step(0);
    const auto go_on = copy.strategy->synchronise();
    expect_buffer(copy, GetParam().mean);
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, Buffers,
                         testing::Values(Case{"AllReduce", "allreduce", 2},
                                         Case{"Averaging", "averaging:every=4", 2},
                                         Case{"WarmUp", "averaging:every=4,warmup=1", 2},
                                         Case{"AllServe", "parameter-server", 2},
                                         Case{"OneServes", "parameter-server:servers=1", 2.5F},
                                         Case{"Hogwild", "hogwild", 2}),
                         [](const auto& info) { return info.param.name; });

TEST(Averaging, TakesTheMeanOfBuffersAtARound) {
  run_ranks(3, [](const Group& group) {
    Numbered copy(group, "averaging:every=2");
    copy.take_step(0);
    expect_buffer(copy, static_cast<float>(group.rank + 1));
    copy.take_step(1);
    expect_buffer(copy, 2);
  });
}

TEST(Averaging, GivesEachRankItsOwnBackOnceTheMeanIsMeasured) {
  run_ranks(3, [](const Group& group) {
    Numbered copy(group, "averaging:every=4");
    copy.take_step(0);
    const Tensor own = copy.values().clone();
    const auto go_on = copy.strategy->synchronise();
    EXPECT_FALSE(copy.values().allclose(own));
    go_on();
    EXPECT_TRUE(copy.values().equal(own));
    expect_buffer(copy, static_cast<float>(group.rank + 1));
  });
}

}  // namespace
}  // namespace yoke::test
