// tests/train/gpus_test.cpp: which GPUs a rank takes.
#include "yoke/train/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

std::vector<int> firsts(std::int64_t ranks, std::int64_t replicas, std::int64_t gpus) {
  std::vector<int> firsts;
  for (std::int64_t place = 0; place < ranks; ++place) {
    firsts.push_back(first_gpu(place, replicas, gpus));
  }
  return firsts;
}

TEST(FirstGpu, FollowsThoseOfTheRanksBefore) {
  EXPECT_THAT(firsts(4, 0, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(firsts(4, 1, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(firsts(3, 2, 6), testing::ElementsAre(0, 2, 4));
  EXPECT_THAT(firsts(1, 8, 8), testing::ElementsAre(0));
}

TEST(FirstGpu, IsSharedWhereNoneAreLeft) {
  EXPECT_THAT(firsts(3, 1, 2), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(firsts(3, 2, 5), testing::ElementsAre(0, 2, 0));  // none beyond the last
  EXPECT_THAT(firsts(2, 1, 1), testing::ElementsAre(0, 0));     // each sees its own alone
}

TEST(FirstGpu, IsRefusedWhereARankWantsMoreThanThereAre) {
  EXPECT_THAT([] { first_gpu(0, 3, 2); },
              testing::ThrowsMessage<UsageError>(testing::AllOf(
                  testing::HasSubstr("--replicas 3"), testing::HasSubstr("LibTorch sees 2"))));
}

}  // namespace
}  // namespace yoke
