// tests/engine/compiled_random_test.cpp: the compiled engine equals the eager one for networks that
// nobody thought of.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/engine/compare.h"
#include "tests/engine/random_network.h"

namespace yoke::test {
namespace {

/// Networks to draw: of `count` seeds from `first` on.
struct Seeds {
  std::uint64_t first, count;
};

void compare_networks(Seeds seeds, Norms norms, Comparison comparison) {
  // In a network of few and narrow layers, some gradients cancel to next to nothing.
  comparison.slack = 4;
  const char* const f = std::getenv("FIRST");
  const char* const n = std::getenv("COUNT");
  if (f) seeds.first = std::strtoull(f, nullptr, 10);
  if (n) seeds.count = std::strtoull(n, nullptr, 10);
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, draw_network(seed, norms).text));
    try {
      compare_with_eager([&] { return draw_network(seed, norms).model; }, comparison);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(RandomNetworks, EqualEagerForOneImage) {
  compare_networks({0, 30}, Norms::kOfPixels, {.batch = 1});
}
TEST(RandomNetworks, EqualEagerForTwoImages) {
  compare_networks({100, 30}, Norms::kOfPixels, {.batch = 2});
}
TEST(RandomNetworks, EqualEagerForAnOddBatch) {
  compare_networks({200, 60}, Norms::kAny, {.batch = 17});
}
TEST(RandomNetworks, EqualEagerForALargeBatch) {
  compare_networks({300, 4}, Norms::kAny, {.batch = 256});
}
TEST(RandomNetworks, EqualEagerInMicroBatches) {
  compare_networks({400, 20}, Norms::kNone, {.batch = 17, .micro_batch = 5});
}
TEST(RandomNetworks, EqualEagerOnTwoReplicas) {
  compare_networks({500, 20}, Norms::kNone, {.batch = 17, .replicas = 2});
}
TEST(RandomNetworks, EqualEagerOnThreeReplicasInMicroBatches) {
  compare_networks({600, 20}, Norms::kNone, {.batch = 17, .replicas = 3, .micro_batch = 3});
}
TEST(RandomNetworks, EqualEagerInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_networks({700, 20}, Norms::kOfPixels, {.batch = 17, .precision = Precision::kBf16});
}

}  // namespace
}  // namespace yoke::test
