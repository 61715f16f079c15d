// Where averaging begins: after a warm-up, after a resume, or each rank at a place of its own.
#include <gtest/gtest.h>

#include "tests/parallel/copy.h"

namespace yoke::test {
namespace {

using torch::Tensor;

const std::string kPlain = "averaging:every=2", kOuter = ",outer=nesterov:lr=0.7+momentum=0.9";

/// One update of SGD with Nesterov's momentum from `anchor`, against the way to `mean`:
/// v = 0.9 v + d and w = w - 0.7 (d + 0.9 v), where d is the way back.
Tensor moved(const Tensor& anchor, const Tensor& mean, const Tensor& velocity) {
  const Tensor back = anchor - mean;
  return anchor - 0.7 * (back + 0.9 * (0.9 * velocity + back));
}

TEST(Averaging, OuterNesterovStartsWhereTheWarmUpEnded) {
  run_ranks(2, [](const Group& group) {
    Copy outer(group.part({0, 1}, "outer"), kPlain + ",warmup=1" + kOuter);
    Copy plain(group.part({0, 1}, "plain"), kPlain + ",warmup=1");
    for (Copy* copy : {&outer, &plain}) {
      copy->begin();
      for (int step = 0; step < 4; ++step) copy->take_step(step);
    }
    const Tensor start = plain.values().clone();
    for (Copy* copy : {&outer, &plain}) {
      for (int step = 4; step < 6; ++step) copy->take_step(step);
    }
    const Tensor expected = moved(start, plain.values(), torch::zeros_like(start));
    EXPECT_TRUE(outer.values().allclose(expected, 1e-4, 1e-5));
  });
}

TEST(Averaging, OuterNesterovGoesOnFromItsStateBetweenTwoRounds) {
  run_ranks(2, [](const Group& group) {
    Copy first(group.part({0, 1}, "first"), kPlain + kOuter);
    Copy then(group.part({0, 1}, "then"), kPlain + kOuter);
    Copy plain(group.part({0, 1}, "plain"), kPlain);
    first.begin();
    for (int step = 0; step < 3; ++step) first.take_step(step);
    const auto go_on = first.strategy->synchronise();
    const NamedTensors saved = first.strategy->state(), state = then.strategy->state();
    for (std::size_t i = 0; i < saved.size(); ++i) Tensor(state[i].second).copy_(saved[i].second);
    then.strategy->restored();
    for (Copy* copy : {&then, &plain}) {
      copy->values().copy_(first.values());
      copy->begin(3);
      copy->take_step(3);
    }
    ASSERT_EQ(saved.size(), 3);  // after the optimizer's number of steps
    const Tensor expected = moved(saved[1].second, plain.values(), saved[2].second);
    EXPECT_TRUE(then.values().allclose(expected, 1e-4, 1e-5));
  });
}

TEST(Averaging, BeginsWithNumbersInAnOrderOfEachRanksOwnWhereAsked) {
  run_ranks(3, [](const Group& group) {
    Copy copy(group, kPlain + ",start=own");
    const auto first = [&] {
      const Tensor values = copy.values().clone();
      copy.communicator->broadcast(values, 0);
      return values;
    };
    copy.begin();
    const Tensor start = first();
    EXPECT_EQ(copy.values().equal(start), group.rank == 0);
    for (const auto& slice : copy.parameters.slices()) {
      const auto sorted = [&](const Tensor& values) {
        return std::get<0>(values.narrow(0, slice.offset, slice.elements).sort());
      };
      EXPECT_TRUE(sorted(copy.values()).equal(sorted(start)));
    }
    copy.begin(3);  // after a resume all have what was saved
    EXPECT_TRUE(copy.values().equal(first()));
  });
}

}  // namespace
}  // namespace yoke::test
