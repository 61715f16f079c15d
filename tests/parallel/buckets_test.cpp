#include "yoke/parallel/buckets.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

namespace yoke {
namespace {

/// Parameters of 20, 4, 40, 10 and 3 elements, and 1.
struct Network {
  torch::nn::Sequential module{torch::nn::Linear(5, 4), torch::nn::Linear(4, 10),
                               torch::nn::Linear(3, 1)};
  FlatParameters parameters{*module};
};

TEST(Buckets, AreCutAtParametersFromTheEndOn) {
  Network network;
  const auto buckets = cut_into_buckets(network.parameters, {16, 120});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].begin, 74);  // 3 and 1
  EXPECT_EQ(buckets[0].end, 78);
  EXPECT_EQ(buckets[1].begin, 24);  // 40 and 10
  EXPECT_EQ(buckets[2].begin, 0);
  EXPECT_EQ(buckets[2].end, 24);
}

TEST(Buckets, CoverEverythingOnceWhateverTheirSize) {
  Network network;
  for (const std::int64_t bytes : {0, 1, 16, 100, 1'000'000}) {
    std::int64_t end = network.parameters.size();
    for (const auto& bucket : cut_into_buckets(network.parameters, {bytes, bytes})) {
      EXPECT_EQ(bucket.end, end);
      EXPECT_LT(bucket.begin, bucket.end);
      end = bucket.begin;
    }
    EXPECT_EQ(end, 0) << bytes;
  }
}

TEST(Buckets, AreLeftOutWhereNothingLearns) {
  Network network;
  auto parameters = network.module->parameters();
  const auto left = [&] {
    const FlatParameters flat(*network.module);
    std::vector<std::int64_t> begins;
    for (const auto& bucket : that_learn(cut_into_buckets(flat, {16, 120}), flat)) {
      begins.push_back(bucket.begin);
    }
    return begins;
  };
  for (const int first_layer : {0, 1}) parameters[first_layer].set_requires_grad(false);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{74, 24}));
  parameters[5].set_requires_grad(false);  // half of its bucket
  EXPECT_EQ(left(), (std::vector<std::int64_t>{74, 24}));
  parameters[4].set_requires_grad(false);
  EXPECT_EQ(left(), (std::vector<std::int64_t>{24}));
}

TEST(BucketFiller, TellsInOrderWhateverComesFirst) {
  std::vector<std::size_t> told;
  BucketFiller filler({{6, 10}, {2, 6}, {0, 2}},
                      [&](std::size_t bucket) { told.push_back(bucket); });
  filler.fill(0, 5);
  filler.fill(8, 10);
  EXPECT_TRUE(told.empty());
  filler.fill(5, 7);
  EXPECT_TRUE(told.empty());
  filler.fill(7, 8);
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2}));
  filler.reset();
  filler.fill(0, 10);
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace yoke
