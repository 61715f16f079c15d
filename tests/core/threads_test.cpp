#include "yoke/core/system/threads.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace yoke {
namespace {

TEST(CpuBudget, IsSharedByTheRanksOfAHost) {
  const CpuBudget budget{.host_cores = 16, .cores = {0, 1, 2, 3, 4, 5, 6, 7}, .quota = 0};
  EXPECT_EQ(budget.threads(1), 8);
  EXPECT_EQ(budget.threads(3), 2);
  EXPECT_EQ(budget.threads(100), 1);
  EXPECT_EQ(budget.threads(0), 8);
}

TEST(CpuBudget, IsCutByTheQuota) {
  CpuBudget budget{.host_cores = 8, .cores = {0, 1, 2, 3}, .quota = 1.5};
  EXPECT_EQ(budget.threads(1), 2);
  budget.quota = 0.2;
  EXPECT_EQ(budget.threads(1), 1);
  budget.quota = 64;
  EXPECT_EQ(budget.threads(1), 4);
  EXPECT_THAT(budget.str(), testing::HasSubstr("4 of 8 cores (affinity 0,1,2,3"));
}

TEST(CpuBudget, FollowsTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  const int core = cpu_budget().cores.back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(cpu_budget().cores, std::vector<int>{core});
  EXPECT_EQ(cpu_budget().threads(1), 1);
  sched_setaffinity(0, sizeof(before), &before);
}

TEST(SetThreads, SizesLibTorchsPool) {
  const int before = at::get_num_threads();
  set_threads(3);
  EXPECT_EQ(at::get_num_threads(), 3);
  set_threads(before);
}

}  // namespace
}  // namespace yoke
