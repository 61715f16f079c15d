// Steps that ranks take as each is ready.
#include "yoke/parallel/workers/step_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>

#include "tests/support/ranks.h"
#include "yoke/comm/received.h"

namespace yoke::test {
namespace {

TEST(StepPool, GivesEachStepOnceToAnyOfItsRanks) {
  constexpr std::int64_t kSteps = 100;
  std::array<std::atomic<int>, kSteps> taken{};
  run_ranks(3, [&](const Group& group) {
    StepPool pool(group, 1, kSteps);
    while (const auto step = pool.take()) ++taken.at(static_cast<std::size_t>(*step));
  });
  for (const auto& times : taken) EXPECT_EQ(times, 1);
}

TEST(StepPool, RefusesACountThatIsNone) {
  const auto store = local_store();
  StepPool pool(group_on({2}, store, 0), 1, 10);
  EXPECT_EQ(pool.take(), 0);
  store->add("steps/1", std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(pool.take(), Garbled);
}

}  // namespace
}  // namespace yoke::test
