// Where scaling stops, why, and which strategy is best there.
#include "yoke/forecast/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forecast/calibrated.h"
#include "yoke/forecast/sentences.h"

namespace yoke::forecast {
namespace {

using test::free_cluster;
using test::job;
using test::others;
using test::round_calibration;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(Scaling, StopsWhereImagesRunOutWhenTheLinkIsFree) {
  // A step of 1 ms and 0.1 ms an image: twice the hosts pay until few images are left to each.
  auto calibration = round_calibration();
  calibration.communicators[0] = test::round_communicator("gloo", 1e-9, 1e-15);
  const auto end = find_end(calibration, job(), free_cluster(1), 1, 4096);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->hosts, 128);  // 1.2 ms there, 1.1 ms on 256
  EXPECT_EQ(end->limit, Limit::kCompute);
  EXPECT_THAT(say_end(end, 1, 4096),
              HasSubstr("Scaling stops at 128 hosts, by compute: on 256 a step takes 1.1 ms, of "
                        "which 1.1 ms are computing 1 image a rank, and training is less than a "
                        "tenth faster."));
}

TEST(Scaling, StopsByTheLinkWhenThatIsSlow) {
  Cluster cluster = free_cluster(1);
  cluster.link_bytes_per_second = 1e7;
  const auto end = find_end(round_calibration(), job(), cluster, 1, 4096);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->hosts, 1);
  EXPECT_EQ(end->limit, Limit::kLink);
  EXPECT_THAT(say_end(end, 1, 4096), HasSubstr("Scaling stops at 1 host, by link"));
}

TEST(Scaling, GoesOnWhenNothingIsExchanged) {
  Job own = job("averaging:every=end", 256);
  own.per_rank = true;
  EXPECT_FALSE(find_end(round_calibration(), own, free_cluster(1), 1, 32));
  EXPECT_THAT(say_end(std::nullopt, 1, 32), HasSubstr("does not stop up to 32 hosts"));
}

TEST(Scaling, SaysNothingWhenThereAreTooFewHostsToDouble) {
  EXPECT_FALSE(find_end(round_calibration(), job(), free_cluster(1), 1, 1));
  EXPECT_EQ(say_end(std::nullopt, 1, 1), "");
  EXPECT_EQ(say_end(std::nullopt, 4, 7), "");
  EXPECT_THAT(say_end(std::nullopt, 4, 8), HasSubstr("does not stop up to 8 hosts"));
}

TEST(Scaling, SaysWhereATableEnds) {
  EXPECT_EQ(say_cut(16, 1024, 1000),
            "The table ends before 16 hosts: a step there would have 1024 images, but the data set "
            "has 1000, which yoke train refuses.");
}

TEST(Scaling, StopsByFailuresWhenHostsFailOften) {
  Job own = job("averaging:every=end", 2);
  own.per_rank = true;
  Cluster cluster = free_cluster(1);
  cluster.host_mean_between_failures = 20'000;
  cluster.restart_seconds = 100;
  const auto end = find_end(round_calibration(), own, cluster, 1, 4096);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->limit, Limit::kFailures);
  EXPECT_THAT(say_end(end, 1, 4096), HasSubstr("failures and checkpoints add"));
}

TEST(Scaling, MeasuresSpeedUpAgainstTheFirst) {
  const auto calibration = round_calibration();
  const auto two = predict(calibration, job("averaging:every=end"), free_cluster(2));
  const auto eight = predict(calibration, job("averaging:every=end"), free_cluster(8));
  EXPECT_NEAR(speed_up(two, eight), 13.8 / 4.2, 1e-9);
  EXPECT_NEAR(efficiency(two, eight), 13.8 / 4.2 / 4, 1e-9);
  EXPECT_EQ(efficiency(two, two), 1);
}

TEST(Scaling, ComparesStrategiesAndSaysWhichLearnsOtherwise) {
  Cluster cluster = free_cluster(8);
  cluster.link_bytes_per_second = 1e7;
  const auto choices = compare_strategies(round_calibration(), job(), cluster, others());
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices.front().plan.text, "averaging");
  const auto text = say_best(choices);
  EXPECT_THAT(text, HasSubstr("On 8 hosts, of the strategies that take the steps of one rank"));
  EXPECT_THAT(text, HasSubstr("averaging would take"));
  EXPECT_EQ(
      compare_strategies(round_calibration(), job("averaging:every=2"), cluster, others()).size(),
      4U);
}

TEST(Scaling, ComparesNoStrategyThatTrainingRefuses) {
  const auto texts = [](const Job& what, std::int64_t hosts) {
    std::vector<std::string> found;
    for (const auto& choice :
         compare_strategies(round_calibration(), what, free_cluster(hosts), others())) {
      found.push_back(choice.plan.text);
    }
    return found;
  };
  Job whole = job();
  whole.splits = false;
  EXPECT_THAT(texts(whole, 8), UnorderedElementsAre("allreduce", "averaging"));
  // 1024 images for each of 10 workers are all there are: an 11th rank at work has none left.
  Job own = job("parameter-server:servers=1,mode=async", 1024);
  own.per_rank = true;
  EXPECT_THAT(texts(own, 11), UnorderedElementsAre(own.strategy.text));
  EXPECT_EQ(say_best(compare_strategies(round_calibration(), own, free_cluster(11), others())), "");
}

}  // namespace
}  // namespace yoke::forecast
