#include "yoke/core/random.h"

#include <gtest/gtest.h>

#include <set>

namespace yoke {
namespace {

TEST(RandomStream, DependsOnEveryPartOfItsKeyAndOnNothingElse) {
  RandomStream first(1, 2, 3, Purpose::kTest), again(1, 2, 3, Purpose::kTest);
  EXPECT_EQ(first.next_64(), again.next_64());
  std::set<std::uint64_t> values;
  for (auto stream : {RandomStream(1, 2, 3, Purpose::kTest), RandomStream(2, 2, 3, Purpose::kTest),
                      RandomStream(1, 3, 3, Purpose::kTest), RandomStream(1, 2, 4, Purpose::kTest),
                      RandomStream(1, 2, 3, Purpose::kShuffle),
                      RandomStream(1, 2, 3 + (1ull << 32), Purpose::kTest),
                      RandomStream(1 + (1ull << 32), 2, 3, Purpose::kTest)}) {
    values.insert(stream.next_64());
  }
  EXPECT_EQ(values.size(), 7u);
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(7, 0, 0, Purpose::kTest);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100000; ++i) ++counts[stream.below(10)];
  // Standard deviation 95; five of them.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 475);
}

TEST(RandomStream, NormalHasUnitVariance) {
  RandomStream stream(7, 0, 0, Purpose::kTest);
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.016);
  EXPECT_NEAR(squares / n, 1.0, 0.023);
}

}  // namespace
}  // namespace yoke
