// What operations cost over a cluster, by hand.
#include "yoke/forecast/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forecast/calibrated.h"
#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

using test::free_cluster;
using test::round_calibration;
using testing::HasSubstr;

constexpr double kMegabyte = 1e6;
Cluster linked(std::int64_t hosts, double bytes_per_second, double latency, int ranks = 1) {
  Cluster cluster = free_cluster(hosts);
  cluster.link_bytes_per_second = bytes_per_second;
  cluster.link_latency_seconds = latency;
  cluster.ranks_per_host = ranks;
  cluster.cores_per_host = ranks;
  return cluster;
}

Cost sum(const Cluster& cluster, const char* comm = "auto", Case which = Case::kTypical) {
  const auto calibration = round_calibration();
  return Network(calibration, cluster, plan_communicator(comm), which).all_reduce(kMegabyte);
}

TEST(Network, CostsNothingWhenThereIsOneRank) {
  for (const char* const comm : {"auto", "gloo", "mpi", "throttle"}) {
    EXPECT_EQ(sum(free_cluster(1), comm).total(), 0);
  }
}

TEST(Network, CostsTheSoftwareWhenTheLinkIsFree) {
  // 2 messages of 0.1 ms, and 1 MB at 1 ns a byte.
  const Cost cost = sum(free_cluster(2));
  EXPECT_NEAR(cost.waiting, 2e-4, 1e-9);
  EXPECT_NEAR(cost.busy, 1e-3, 1e-9);
}

TEST(Network, CostsTheLinkWhenThatIsSlower) {
  // Of 4 hosts: 6 messages of 0.1 + 0.4 ms; 1.5 MB at 10 MB/s, which hide half of 1.5 ms copying.
  const Cost cost = sum(linked(4, 1e7, 4e-4));
  EXPECT_NEAR(cost.busy, 1.5e-3, 1e-9);
  EXPECT_NEAR(cost.total(), 6 * 5e-4 + 0.15 * test::kFrames + 0.75e-3, 1e-9);
}

TEST(Network, HidesWhatIsCopiedBehindTheWireByCase) {
  const auto in = [](Case which) { return sum(linked(4, 1e7, 0), "auto", which).total(); };
  const double wire = 6e-4 + 0.15 * test::kFrames;
  EXPECT_NEAR(in(Case::kLow), wire, 1e-9);
  EXPECT_NEAR(in(Case::kTypical), wire + 0.75e-3, 1e-9);
  EXPECT_NEAR(in(Case::kHigh), wire + 1.5e-3, 1e-9);
}

TEST(Network, CopiesLongerWhenRanksShareCores) {
  Cluster half = free_cluster(2);
  half.cores_per_host = 0.5;
  EXPECT_NEAR(sum(half).busy, 2e-3, 1e-9);
  EXPECT_NEAR(sum(half).waiting, 2e-4, 1e-9);
  // Three ranks on two cores, 4/3 MB each: 1.5 on a core, two on that with most, or between.
  Cluster three = linked(1, 1e18, 0, 3);
  three.cores_per_host = 2;
  EXPECT_NEAR(sum(three, "gloo", Case::kLow).busy, 2e-3, 1e-9);
  EXPECT_NEAR(sum(three, "gloo").busy, 7e-3 / 3, 1e-9);
  EXPECT_NEAR(sum(three, "gloo", Case::kHigh).busy, 8e-3 / 3, 1e-9);
  // In memory, two ranks on one core are as long at it as four on two.
  Cluster two = linked(1, 1e18, 0, 2);
  two.cores_per_host = 1;
  EXPECT_NEAR(sum(two).busy, 2e-4, 1e-9);
}

TEST(Network, SumsInMemoryWhenThereIsOneHost) {
  Cluster host = free_cluster(1);
  host.ranks_per_host = 2;
  host.cores_per_host = 4;
  EXPECT_NEAR(sum(host).total(), 1e-5 + 1e-4, 1e-9);
  host.ranks_per_host = 4;  // twice the measured ones
  EXPECT_NEAR(sum(host).total(), 2e-5 + 2e-4, 1e-9);
  EXPECT_NEAR(sum(host, "gloo").total(), 6e-4 + 1.5e-3, 1e-9);
}

TEST(Network, SumsInLanesWhenHostsHaveSeveralRanks) {
  // Inside 1.5 times; 2 lanes of 0.5 MB each over 2 hosts, whose link carries both.
  const Cost cost = sum(linked(2, 1e7, 0, 2));
  EXPECT_NEAR(cost.busy, 1.5e-4 + 0.5e-3, 1e-9);
  EXPECT_NEAR(cost.total(), 1.5 * 1.1e-4 + 2e-4 + 0.1 * test::kFrames + 0.25e-3, 1e-9);
}

TEST(Network, TakesTheBetterOfRingAndTreeOverMpi) {
  auto calibration = round_calibration();
  calibration.communicators.push_back(test::round_communicator("mpi", 2e-4, 1e-9));
  const auto cost = [&](const char* comm, double bytes) {
    const Network network(calibration, linked(64, 1e9, 0), plan_communicator(comm), Case::kTypical);
    return network.all_reduce(bytes).total();
  };
  EXPECT_LT(cost("mpi", 1000), cost("gloo", 1000) / 5);  // 12 messages, not 126
  EXPECT_LE(cost("mpi", 1e8), cost("gloo", 1e8));
}

TEST(Network, IsNoFasterThanAThrottle) {
  const char* const comm = "throttle:over=gloo,megabytes_per_second=10,latency_milliseconds=1";
  EXPECT_NEAR(sum(free_cluster(2), comm).total(), 2e-3 + 0.1, 1e-9);
  const char* const fast = "throttle:megabytes_per_second=1e9,latency_milliseconds=0";
  EXPECT_NEAR(sum(free_cluster(2), fast).total(), 1.2e-3, 1e-9);
  // Nor than the link: 1 MB at 1 MB/s, half of 1 ms copying beside it.
  EXPECT_NEAR(sum(linked(2, 1e6, 0), comm).total(), 2e-4 + test::kFrames + 0.5e-3, 1e-9);
}

TEST(Network, HasOneThrottledLinkForAllThatAServerTakes) {
  const auto calibration = round_calibration();
  const auto plan = plan_communicator("throttle:megabytes_per_second=10,latency_milliseconds=0");
  const Network network(calibration, free_cluster(4), plan, Case::kLow);
  const Cost cost = network.send({.messages = 1, .bytes = kMegabyte}, 0, 3 * kMegabyte);
  EXPECT_NEAR(cost.total(), 1e-4 + 0.3, 1e-9);
  EXPECT_NEAR(network.least_seconds(3 * kMegabyte), 0.3, 1e-9);
}

TEST(Network, ScattersAndGathersOverAllRanksWhenThereAreHosts) {
  // 2 hosts of 2 ranks: each sends 2 n / 2 away to scatter, 3/4 n around the ring to gather. A rank
  // itself has 6 messages and 1.5 MB.
  const auto calibration = round_calibration();
  const Network network(calibration, linked(2, 1e7, 0, 2), plan_communicator("auto"),
                        Case::kTypical);
  EXPECT_NEAR(network.scatter_and_gather_link_bytes(kMegabyte), 1.75e6, 1e-3);
  const Cost cost = network.scatter_and_gather(kMegabyte);
  EXPECT_NEAR(cost.busy, 1.5e-3, 1e-9);
  EXPECT_NEAR(cost.total(), 6e-4 + 0.175 * test::kFrames + 0.75e-3, 1e-9);
}

TEST(Network, ScattersAndGathersAsItSumsWhenThereIsOneRankOrHost) {
  const auto calibration = round_calibration();
  for (const auto& cluster : {linked(4, 1e7, 1e-3), linked(1, 1e7, 1e-3, 2)}) {
    const Network network(calibration, cluster, plan_communicator("auto"), Case::kTypical);
    EXPECT_NEAR(network.scatter_and_gather(kMegabyte).total(),
                network.all_reduce(kMegabyte).total(), 1e-12);
    EXPECT_NEAR(network.scatter_and_gather_link_bytes(kMegabyte), network.link_bytes(kMegabyte),
                1e-6);
  }
}

TEST(Network, SendsAtThePaceOfThePeerWhenThatCopiesMore) {
  // 1 MB of its own in 1 ms; a peer copies 8 MB meanwhile, which hide half of that.
  const auto calibration = round_calibration();
  const Network network(calibration, free_cluster(9), plan_communicator("auto"), Case::kTypical);
  const Cost cost = network.send({.messages = 1, .bytes = kMegabyte}, kMegabyte, 8 * kMegabyte);
  EXPECT_NEAR(cost.busy, 1e-3, 1e-9);
  EXPECT_NEAR(cost.waiting, 1e-4 + 7.5e-3, 1e-9);
  EXPECT_NEAR(network.least_seconds(8 * kMegabyte), 8e-3, 1e-9);
}

TEST(Network, CarriesOverTheLinkWhatRanksOfAHostSendTogether) {
  const auto calibration = round_calibration();
  const auto bytes = [&](std::int64_t hosts, const char* comm) {
    return Network(calibration, linked(hosts, 1e9, 0, 2), plan_communicator(comm), Case::kTypical)
        .link_bytes(100);
  };
  EXPECT_NEAR(bytes(4, "auto"), 150, 1e-9);
  EXPECT_NEAR(bytes(4, "gloo"), 175, 1e-9);
  EXPECT_EQ(bytes(1, "auto"), 0);
}

TEST(Network, CostsMoreOverSlowerLinksAndMoreHosts) {
  double before = 0;
  for (std::int64_t hosts = 2; hosts <= 8192; hosts *= 2) {
    const double cost = sum(linked(hosts, 1e8, 1e-4)).total();
    EXPECT_GT(cost, before);
    EXPECT_LT(cost, sum(linked(hosts, 1e7, 1e-4)).total());
    EXPECT_LT(cost, sum(linked(hosts, 1e8, 1e-3)).total());
    before = cost;
  }
}

TEST(Network, RefusesWhatItCannotTell) {
  const auto expect_refused = [](const Cluster& cluster, const char* comm, const char* message) {
    try {
      sum(cluster, comm);
      FAIL() << comm;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  };
  expect_refused(free_cluster(2), "single", "no model of it; give auto");
  expect_refused(free_cluster(2), "mpi", "was not measured in this calibration, which has: gloo");
  expect_refused(free_cluster(2), "gloo:x=1", "'x'");
}

}  // namespace
}  // namespace yoke::forecast
