// Strategies as text, as far as costs go.
#include "yoke/forecast/strategy_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "yoke/core/error.h"
#include "yoke/parallel/strategy.h"

namespace yoke::forecast {
namespace {

using testing::HasSubstr;

TEST(StrategyPlan, ReadsWhatDecidesCosts) {
  const auto reduced = plan_strategy("allreduce:compress=bf16,bucket_mib=2,check_every=5");
  EXPECT_EQ(reduced.kind, StrategyKind::kAllReduce);
  EXPECT_EQ(reduced.element_bytes, 2);
  EXPECT_EQ(reduced.first_bucket_bytes, 1 << 20);
  EXPECT_EQ(reduced.bucket_bytes, 2 << 20);
  EXPECT_TRUE(reduced.same_steps());
  EXPECT_TRUE(plan_strategy("allreduce:shard_state=true").shard_state);
  const auto averaged = plan_strategy("averaging:every=50,outer=nesterov:lr=0.7+momentum=0.5");
  EXPECT_EQ(averaged.every, 50);
  EXPECT_EQ(averaged.extra_vectors, 3);
  EXPECT_FALSE(averaged.same_steps());
  EXPECT_TRUE(std::isinf(plan_strategy("averaging:every=end").every));
  const auto served = plan_strategy("parameter-server:servers=2,mode=async,staleness=4");
  EXPECT_EQ(served.servers, 2);
  EXPECT_FALSE(served.in_step);
  EXPECT_FALSE(served.same_steps());
  EXPECT_TRUE(plan_strategy("parameter-server").same_steps());
  EXPECT_FALSE(plan_strategy("hogwild").in_step);
}

TEST(StrategyPlan, KnowsEveryStrategy) {
  for (const auto& entry : strategies().entries()) EXPECT_NO_THROW(plan_strategy(entry.name));
}

void expect_refused(const char* text, const char* message) {
  try {
    plan_strategy(text);
    FAIL() << text;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(StrategyPlan, RefusesWhatItHasNoModelOf) {
  expect_refused("gossip", "allowed: allreduce, averaging, hogwild, parameter-server");
  expect_refused("allreduce:compress=powersgd", "no model of powersgd; give another compress");
  expect_refused("allreduce:accumulate=2", "leave it out");
  expect_refused("allreduce:bucket=2", "bucket_mib");
  expect_refused("averaging:warmup=1", "averaging for the others");
  expect_refused("hogwild:workers=2", "--ranks-per-host");
  expect_refused("allreduce:sync_batchnorm=true", "no model of sync_batchnorm");
  EXPECT_NO_THROW(plan_strategy("allreduce:sync_batchnorm=false"));
}

TEST(StrategyPlan, RefusesWhatTrainingRefuses) {
  expect_refused("allreduce:compress=bf-16", "unknown compression 'bf-16'; did you mean 'bf16'?");
  expect_refused("allreduce:shard_state=true,compress=bf16", "leave out one of the two");
  expect_refused("averaging:outer=adam", "is 'adam'; allowed: none, nesterov");
  expect_refused("averaging:outer=nesterov:rate=1", "'rate'");
  expect_refused("averaging:start=x", "is 'x'; allowed: same, own");
  expect_refused("averaging:momentum=x", "is 'x'; allowed: keep, reset, average");
  expect_refused("parameter-server:mode=async,staleness=x", "is 'x'; allowed: a whole number");
  expect_refused("parameter-server:staleness=2", "staleness with mode=sync");
  expect_refused("parameter-server:overlap=true", "overlap with mode=sync");
  EXPECT_NO_THROW(plan_strategy("averaging:start=own,momentum=average,outer=none"));
  EXPECT_NO_THROW(plan_strategy("parameter-server:staleness=unbounded"));
  EXPECT_NO_THROW(plan_strategy("parameter-server:mode=async,staleness=0,overlap=true"));
}

}  // namespace
}  // namespace yoke::forecast
