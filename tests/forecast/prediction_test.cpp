// Whole predictions: values by hand, and what must hold for all.
#include "yoke/forecast/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/forecast/calibrated.h"
#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

using test::free_cluster;
using test::job;
using test::round_calibration;
using testing::HasSubstr;

Prediction on(const Cluster& cluster, const Job& what) {
  return predict(round_calibration(), what, cluster);
}

Cluster linked(std::int64_t hosts) {
  Cluster cluster = free_cluster(hosts);
  cluster.link_bytes_per_second = 1e8;
  cluster.link_latency_seconds = 1e-4;
  return cluster;
}

TEST(Prediction, IsTheMeasuredStepWhenThereIsOneRank) {
  for (const char* const strategy : {"allreduce", "averaging", "parameter-server", "hogwild"}) {
    const auto found = on(free_cluster(1), job(strategy));
    EXPECT_NEAR(found.typical.step.total(), 26.6e-3, 1e-9) << strategy;
    EXPECT_EQ(found.typical.step.link, 0) << strategy;
    EXPECT_EQ(found.typical.step.stragglers, 0) << strategy;
    EXPECT_NEAR(found.typical.epoch_seconds, 40 * 26.6e-3, 1e-9) << strategy;
    EXPECT_EQ(found.bytes_per_step, 0) << strategy;
    EXPECT_EQ(found.typical.failure_overhead, 0) << strategy;
  }
}

TEST(Prediction, HidesWhatTheBackwardPassAllows) {
  // 64 images: 7.4 ms, 4.44 of them gradient. The second parameter (2.4 MB, first bucket) is there
  // at 2.22 ms, the first (1.6 MB) at the end. Of 4 hosts each message takes 0.2 ms, and a byte 10
  // ns on the wire, apart from framing f, which hide half of 1 ns copying: the buckets wait 1.2 +
  // 36 f - 1.8 and 1.2 + 24 f - 1.2 ms, the loss 1.2 ms. The signals are done by 1.2 ms.
  const auto found = on(linked(4), job());
  const double busy = 6e-3, waiting = 60e-3 * test::kFrames - 0.6e-3 + 1.2e-3;
  EXPECT_NEAR(found.typical.step.link, busy + waiting - 2.22e-3, 1e-6);
  EXPECT_NEAR(found.bytes_per_step, 6e6, 1);
  // In one bucket nothing is hidden.
  const auto whole = on(linked(4), job("allreduce:first_bucket_mib=100"));
  EXPECT_NEAR(whole.typical.step.link, 6 * 2e-4 + 60e-3 * test::kFrames + 3e-3 + 1.2e-3, 1e-6);
}

TEST(Prediction, SendsSignalsBeforeTheFirstBucket) {
  // As above, but on links that cost 1 ms a message and nothing else: signals, two buckets and the
  // loss take 6.6 ms each, one after the other from the beginning on, and end at 26.4 ms. Of 64
  // images forward and backward take 4.44 ms. Copying takes 6 ms.
  Cluster cluster = free_cluster(4);
  cluster.link_latency_seconds = 1e-3;
  EXPECT_NEAR(on(cluster, job()).typical.step.link, 26.4e-3 - 4.44e-3 + 6e-3, 1e-6);
  // With state in parts 2.16 ms of signals, 6.6 ms of sums and 6.6 ms of the loss are left.
  const auto parts = on(cluster, job("allreduce:shard_state=true"));
  EXPECT_NEAR(parts.typical.step.link, 2.16e-3 + 6.6e-3 + 6.6e-3 + 6e-3, 1e-6);
}

TEST(Prediction, SendsMoreWhenStateIsInPartsOnSeveralRanksAHost) {
  // 2 hosts of 2 ranks, 4 MB: 4 MB of each host's ranks to those of the other, and 3/4 of 4 MB.
  Cluster cluster = linked(2);
  cluster.ranks_per_host = cluster.beside = 2;
  cluster.cores_per_host = 2;
  const auto found = on(cluster, job("allreduce:shard_state=true"));
  EXPECT_NEAR(found.bytes_per_step, 7e6, 1);
  EXPECT_NEAR(on(cluster, job()).bytes_per_step, 4e6, 1);
  // 6 messages of 0.2 ms, 70 ms and half of 6 MB copied. The loss: 1.5 of 0.01 ms in memory and 2
  // messages between the hosts. The signals are done before the gradient.
  const double loss = 0.015e-3 + 2 * 0.2e-3;
  EXPECT_NEAR(found.typical.step.link, 1.2e-3 + 70e-3 * test::kFrames + 3e-3 + loss, 1e-6);
}

TEST(Prediction, SendsHalfWhenCompressed) {
  EXPECT_NEAR(on(linked(4), job("allreduce:compress=bf16")).bytes_per_step, 3e6, 1);
}

TEST(Prediction, ExchangesOnceEveryHStepsWhenAveraging) {
  const double once = on(linked(4), job("averaging:every=1")).typical.step.link;
  EXPECT_NEAR(once, 6 * 2e-4 + 60e-3 * test::kFrames + 3e-3, 1e-6);
  EXPECT_NEAR(on(linked(4), job("averaging:every=50")).typical.step.link, once / 50, 1e-12);
  EXPECT_EQ(on(linked(4), job("averaging:every=end")).typical.step.link, 0);
}

TEST(Prediction, WaitsForTheLinkOfAServer) {
  // 9 ranks, one of which serves 8: 8 times 4 MB come in and go out, at 100 MB/s.
  const auto alone = on(linked(9), job("parameter-server:servers=1"));
  EXPECT_GT(alone.typical.step.link, 2 * 0.32 - 3e-3);
  EXPECT_NEAR(alone.bytes_per_step, 2 * 32e6, 1);
  // Asynchronously they come one after the other, but the link is as fast as it is.
  const auto apart = on(linked(9), job("parameter-server:servers=1,mode=async"));
  EXPECT_NEAR(apart.typical.step.total(), 0.32 * test::kFrames, 1e-6);
  EXPECT_LT(on(linked(9), job("parameter-server")).typical.step.link, 0.1);
}

TEST(Prediction, WaitsForTheCoresOfAServerWhenTheLinkIsFree) {
  // One server copies 8 times 4 MB each way, at 1 ns a byte.
  const auto apart = on(free_cluster(9), job("parameter-server:servers=1,mode=async"));
  EXPECT_NEAR(apart.typical.step.total(), 32e-3, 1e-7);
  // In step, of 32 images: forward and backward take 2.52 ms. Pushes of 2.4 MB from 1.26 ms on and
  // 1.6 MB wait 0.1 + 18 and 0.1 + 12 ms, until 31.46 ms; the pull waits 0.1 + 30 ms. Both copy 4.
  const auto alone = on(free_cluster(9), job("parameter-server:servers=1"));
  EXPECT_NEAR(alone.typical.step.link, (31.46 - 2.52 + 4 + 30.1 + 4) * 1e-3, 1e-7);
}

TEST(Prediction, GoesAtThePaceOfTheSlowestWhenInStep) {
  Cluster cluster = free_cluster(4);
  cluster.slow = {.count = 1, .factor = 3};
  const double usual = 1e-3 + 64e-4;
  const auto step = on(cluster, job("averaging:every=end")).typical.step;
  EXPECT_NEAR(step.total(), 3 * usual, 1e-9);
  EXPECT_NEAR(step.stragglers, 2 * usual, 1e-9);
  cluster.hosts = 5;  // one of them serves
  const auto apart = on(cluster, job("parameter-server:servers=1,mode=async")).typical.step;
  EXPECT_NEAR(apart.stragglers, usual * (4 / (3 + 1 / 3.0) - 1), 1e-9);
}

TEST(Prediction, WaitsLongerForMoreRanksWhoseStepsVary) {
  auto calibration = round_calibration();
  calibration.train_images = 10'000'000;
  for (auto& batch : calibration.layouts[0].batches) batch.spread = 0.1;
  double before = 0;
  for (const std::int64_t hosts : {1, 2, 16, 256, 4096}) {
    Job own = job("allreduce", 32);
    own.per_rank = true;
    const auto step = predict(calibration, own, free_cluster(hosts)).typical.step;
    EXPECT_NEAR(step.compute, 4.2e-3, 1e-9);
    EXPECT_TRUE(step.stragglers > before || hosts == 1);
    before = step.stragglers;
  }
  Job averaged = job("averaging:every=100", 32);
  averaged.per_rank = true;
  EXPECT_LT(predict(calibration, averaged, free_cluster(4096)).typical.step.stragglers, before / 5);
}

TEST(Prediction, HasOrderedCasesAtEverySize) {
  auto calibration = round_calibration();
  for (auto& layout : calibration.layouts) {
    for (auto& batch : layout.batches) {
      batch.lower *= 0.9;
      batch.upper *= 1.1;
      batch.spread = 0.1;
    }
  }
  for (auto& times : calibration.communicators) {
    for (auto& point : times.least) point.second *= 0.8;
  }
  for (const char* const strategy : {"allreduce", "averaging", "parameter-server"}) {
    for (std::int64_t hosts = 1; hosts <= 8192; hosts *= 2) {
      Cluster cluster = linked(hosts);
      cluster.host_mean_between_failures = 1e8;
      const auto found = predict(calibration, job(strategy), cluster);
      EXPECT_LT(found.low.epoch_seconds, found.typical.epoch_seconds);
      EXPECT_LT(found.typical.epoch_seconds, found.high.epoch_seconds);
      EXPECT_TRUE(std::isfinite(found.high.total_epoch_seconds()));
    }
  }
}

TEST(Prediction, IsNoFasterOverSlowerLinksOrWithFewerCores) {
  for (std::int64_t hosts = 2; hosts <= 1024; hosts *= 2) {
    Cluster slower = linked(hosts);
    slower.link_bytes_per_second /= 10;
    Cluster smaller = linked(hosts);
    smaller.cores_per_host = 0.5;
    const double usual = on(linked(hosts), job()).typical.epoch_seconds;
    EXPECT_LT(usual, on(slower, job()).typical.epoch_seconds);
    EXPECT_LT(usual, on(smaller, job()).typical.epoch_seconds);
    EXPECT_GE(usual, on(free_cluster(hosts), job()).typical.epoch_seconds);
  }
}

TEST(Prediction, FailsMoreOftenOnMoreHosts) {
  Cluster cluster = free_cluster(1);
  cluster.host_mean_between_failures = 1e6;
  cluster.restart_seconds = 60;
  const auto one = on(cluster, job()).typical;
  // Young's interval is sqrt(2 * 0.01 s * 1e6 s) = 141 s: Daly's is 0.007 s shorter.
  EXPECT_NEAR(one.checkpoint_interval, std::sqrt(2e4) - 0.01 * (1 - 1 / 3.0), 1e-3);
  cluster.hosts = 1000;
  const auto many = on(cluster, job()).typical;
  EXPECT_GT(many.failure_overhead, 100 * one.failure_overhead);
  EXPECT_GE(many.checkpoint_interval, 0.1);  // a checkpoint is on the disk before the next
}

TEST(Prediction, CountsMemoryByStrategy) {
  Cluster cluster = free_cluster(4);
  const auto bytes = [&](const char* strategy) {
    return on(cluster, job(strategy)).memory_per_host_bytes;
  };
  const double measured = 100e6 + 64e3;
  EXPECT_NEAR(bytes("allreduce"), measured, 1);
  EXPECT_NEAR(bytes("allreduce:shard_state=true"), measured - 3e6, 1);
  EXPECT_NEAR(bytes("averaging"), measured + 4e6, 1);
  EXPECT_NEAR(bytes("averaging:outer=nesterov"), measured + 12e6, 1);
  EXPECT_NEAR(bytes("parameter-server"), measured - 3e6 + 8e6, 1);
  cluster.ranks_per_host = 2;
  cluster.cores_per_host = 2;
  cluster.beside = 2;
  EXPECT_NEAR(bytes("allreduce"), 2 * (100e6 + 32e3), 1);
}

TEST(Prediction, SharesABatchOutByTheLargestShare) {
  const auto found = on(free_cluster(3), job("allreduce", 256));
  EXPECT_EQ(found.images_per_rank, 86);
  Job own = job("allreduce", 32);
  own.per_rank = true;
  EXPECT_EQ(on(free_cluster(3), own).batch_size, 96);
  EXPECT_EQ(on(free_cluster(320), own).batch_size, 10'240);  // all there are
}

TEST(Prediction, RefusesABatchOfMoreImagesThanThereAre) {
  Job own = job("allreduce", 32);
  own.per_rank = true;
  EXPECT_EQ(global_batch_size(own, free_cluster(321)), 10'272);
  try {
    on(free_cluster(321), own);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("on 321 hosts a step has 10272 images, but the data set has 10240; give"));
  }
}

TEST(Prediction, RefusesWhatDoesNotFit) {
  EXPECT_THROW(on(free_cluster(2), job("hogwild")), UsageError);
  EXPECT_THROW(on(free_cluster(2), job("parameter-server:servers=2")), UsageError);
  Job shared = job();
  shared.comm = plan_communicator("shared-memory");
  EXPECT_THROW(on(free_cluster(2), shared), UsageError);
  EXPECT_NO_THROW(on(free_cluster(1), shared));
  Job whole = job("parameter-server");
  whole.splits = false;
  EXPECT_THROW(on(free_cluster(2), whole), UsageError);
  EXPECT_NO_THROW(on(free_cluster(1), whole));
  whole.strategy = plan_strategy("parameter-server:servers=1");
  EXPECT_NO_THROW(on(free_cluster(2), whole));
}

}  // namespace
}  // namespace yoke::forecast
