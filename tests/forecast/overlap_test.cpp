// What the backward pass hides, and buckets as the strategy cuts them.
#include "yoke/forecast/overlap.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include "yoke/parallel/buckets.h"

namespace yoke::forecast {
namespace {

TEST(Overlap, CutsTheGradientAsTheStrategyDoes) {
  torch::nn::Sequential net;
  std::vector<double> ready;
  for (const int size : {1, 17, 300, 5, 64}) net->push_back(torch::nn::Linear(size, 3 * size));
  FlatParameters parameters(*net);
  std::vector<std::int64_t> elements;
  for (const auto& slice : parameters.slices()) elements.push_back(slice.elements);
  ready.resize(elements.size(), 1.0);
  for (const std::int64_t first : {0, 1, 100, 50'000, 10'000'000}) {
    for (const std::int64_t bytes : {0, 1000, 800'000}) {
      const auto expected = cut_into_buckets(parameters, {first, bytes});
      const auto found =
          cut_gradient(elements, ready, static_cast<double>(first), static_cast<double>(bytes));
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].elements, expected[i].end - expected[i].begin);
      }
    }
  }
}

TEST(Overlap, HasABucketReadyWhenItsLastParameterIs) {
  const auto buckets = cut_gradient({10, 10, 10, 10}, {1.0, 0.2, 0.7, 0.4}, 80, 80);
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_DOUBLE_EQ(buckets[0].ready, 0.7);
  EXPECT_DOUBLE_EQ(buckets[1].ready, 1.0);
}

TEST(Overlap, ExposesWhatGoesOnAfterTheEnd) {
  EXPECT_EQ(exposed_seconds({}, 10), 0);
  EXPECT_EQ(exposed_seconds({{2, 3}, {4, 3}}, 10), 0);  // until 8
  EXPECT_EQ(exposed_seconds({{2, 3}, {4, 3}}, 6), 2);
  EXPECT_EQ(exposed_seconds({{2, 3}, {10, 3}}, 10), 3);     // the last is ready at the end
  EXPECT_EQ(exposed_seconds({{0, 100}, {10, 3}}, 10), 93);  // and waits for the one before
}

}  // namespace
}  // namespace yoke::forecast
