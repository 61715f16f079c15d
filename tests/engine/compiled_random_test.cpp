// tests/engine/compiled_random_test.cpp: the compiled engine equals the eager one for networks that
// nobody thought of.
#include <gtest/gtest.h>

#include "tests/engine/compare.h"
#include "tests/engine/random_network.h"
#include "tests/support/support.h"

namespace yoke::test {
namespace {

/// What is not equal for two choices of images. Where a rounding switches a ReLU, gradients differ
/// by much and nothing is wrong; that happens to one network in thousands, and not twice.
std::string lasting_differences(std::uint64_t seed, Norms norms, bool others,
                                Comparison comparison) {
  const auto make = [&] { return draw_network(seed, norms, others).model; };
  std::string differences;
  for (const std::int64_t images : {5, 50}) {
    comparison.images = images;
    differences = differences_from_eager(make, comparison);
    if (differences.empty()) break;
  }
  return differences;
}

/// Compares networks of `count` seeds from `first` on; half of them where tests shall be short.
void compare_networks(std::uint64_t first, std::uint64_t count, Norms norms, Comparison comparison,
                      bool others = false) {
  if (!long_tests()) count /= 2;
  comparison.slack = 4;  // in networks as narrow as these, gradients cancel to next to nothing
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, draw_network(seed, norms, others).text));
    try {
      EXPECT_EQ(lasting_differences(seed, norms, others, comparison), "");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(RandomNetworks, EqualEagerForOneImage) {
  compare_networks(0, 100, Norms::kOfPixels, {.batch = 1});
}

TEST(RandomNetworks, EqualEagerForTwoImages) {
  compare_networks(1000, 100, Norms::kOfPixels, {.batch = 2});
}

TEST(RandomNetworks, EqualEagerForAnOddBatch) {
  compare_networks(2000, 200, Norms::kAny, {.batch = 17});
}

TEST(RandomNetworks, EqualEagerForALargeBatch) {
  compare_networks(3000, 10, Norms::kAny, {.batch = 256});
}

TEST(RandomNetworks, EqualEagerInMicroBatches) {
  compare_networks(4000, 100, Norms::kNone, {.batch = 17, .micro_batch = 5});
}

TEST(RandomNetworks, EqualEagerInMicroBatchesBetweenNorms) {
  compare_networks(14'000, 60, Norms::kAny, {.batch = 18, .micro_batch = 6});
  compare_networks(15'000, 40, Norms::kAny, {.batch = 15, .micro_batch = 3}, true);
  if (!why_not(Precision::kBf16).empty()) return;
  compare_networks(16'000, 20, Norms::kOfPixels,
                   {.batch = 18, .micro_batch = 2, .precision = Precision::kBf16});
}

TEST(RandomNetworks, EqualEagerWithEarlyGradients) {
  compare_networks(17'000, 100, Norms::kNone,
                   {.batch = 17, .micro_batch = 3, .early_gradients = true});
  compare_networks(18'000, 60, Norms::kNone,
                   {.batch = 17, .replicas = 2, .micro_batch = 2, .early_gradients = true}, true);
  if (!why_not(Precision::kBf16).empty()) return;
  compare_networks(
      19'000, 20, Norms::kNone,
      {.batch = 18, .micro_batch = 4, .precision = Precision::kBf16, .early_gradients = true});
}

TEST(RandomNetworks, EqualEagerOnTwoReplicas) {
  compare_networks(5000, 60, Norms::kNone, {.batch = 17, .replicas = 2});
}

TEST(RandomNetworks, EqualEagerOnThreeReplicasInMicroBatches) {
  compare_networks(6000, 100, Norms::kNone, {.batch = 17, .replicas = 3, .micro_batch = 2});
}

TEST(RandomNetworks, EqualEagerWithOperatorsOfLibTorch) {
  compare_networks(10'000, 100, Norms::kAny, {.batch = 17}, true);
  compare_networks(11'000, 60, Norms::kOfPixels, {.batch = 1}, true);
  compare_networks(12'000, 60, Norms::kNone, {.batch = 17, .replicas = 3, .micro_batch = 2}, true);
  if (!why_not(Precision::kBf16).empty()) return;
  compare_networks(13'000, 40, Norms::kNone, {.batch = 17, .precision = Precision::kBf16}, true);
}

TEST(RandomNetworks, EqualEagerInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_networks(7000, 60, Norms::kOfPixels, {.batch = 17, .precision = Precision::kBf16});
  compare_networks(8000, 20, Norms::kNone,
                   {.batch = 17, .replicas = 2, .micro_batch = 5, .precision = Precision::kBf16});
}

}  // namespace
}  // namespace yoke::test
