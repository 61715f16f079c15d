#include "yoke/comm/rendezvous/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

World world_of(const Variables& variables) {
  return world_from([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string complaint(const Variables& variables) {
  try {
    world_of(variables);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(World, IsOneProcessWithoutALauncher) {
  const World world = world_of({});
  EXPECT_EQ(world.rank, 0);
  EXPECT_EQ(world.size, 1);
  EXPECT_EQ(world.launcher, "");
}

TEST(World, ReadsTorchrun) {
  const World world = world_of({{"RANK", "5"},
                                {"WORLD_SIZE", "8"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "4"},
                                {"MASTER_ADDR", "node1"},
                                {"MASTER_PORT", "1234"},
                                {"GLOO_SOCKET_IFNAME", "eth7"}});
  EXPECT_EQ(world.rank, 5);
  EXPECT_EQ(world.size, 8);
  EXPECT_EQ(world.local_rank, 1);
  EXPECT_EQ(world.local_size, 4);
  EXPECT_EQ(world.store.host, "node1");
  EXPECT_EQ(world.store.port, 1234);
  EXPECT_EQ(world.interface, "eth7");
  EXPECT_EQ(world.launcher, "torchrun");
}

TEST(World, TakesTorchrunsPortWhenNoneIsGiven) {
  EXPECT_EQ(world_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}).store.port, 29500);
}

TEST(World, ReadsOpenMpi) {
  const World world = world_of({{"OMPI_COMM_WORLD_RANK", "3"},
                                {"OMPI_COMM_WORLD_SIZE", "4"},
                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(world.rank, 3);
  EXPECT_EQ(world.size, 4);
  EXPECT_EQ(world.local_rank, 1);
  EXPECT_EQ(world.local_size, 2);
  EXPECT_EQ(world.store.host, "");  // agreed on over MPI
  EXPECT_FALSE(world.serves);
  EXPECT_EQ(world.launcher, "mpirun");
}

TEST(World, ReadsMpich) {
  const World world = world_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MASTER_ADDR", "a"}});
  EXPECT_EQ(world.size, 2);
  EXPECT_EQ(world.store.host, "a");
  EXPECT_TRUE(world.serves);
}

TEST(World, IsRestartedAfterAFailureAndWhereHostsCameAndWent) {
  EXPECT_FALSE(world_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).restarted);
  EXPECT_TRUE(world_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"TORCHELASTIC_RESTART_COUNT", "1"}})
                  .restarted);
  EXPECT_TRUE(world_of({{"RANK", "0"},
                        {"WORLD_SIZE", "1"},
                        {"TORCHELASTIC_RESTART_COUNT", "0"},
                        {"YOKE_RESTARTED", "1"}})
                  .restarted);
}

TEST(World, ReadsSlurm) {
  const World world = world_of({{"SLURM_PROCID", "5"},
                                {"SLURM_NTASKS", "11"},
                                {"SLURM_LOCALID", "1"},
                                {"SLURM_NODEID", "1"},
                                {"SLURM_TASKS_PER_NODE", "4(x2),3"},
                                {"SLURM_JOB_NODELIST", "node[05-07]"},
                                {"SLURM_JOB_ID", "7654321"},
                                {"SLURM_RESTART_COUNT", "2"}});
  EXPECT_EQ(world.rank, 5);
  EXPECT_EQ(world.size, 11);
  EXPECT_EQ(world.local_rank, 1);
  EXPECT_EQ(world.local_size, 4);
  EXPECT_EQ(world.restarts, 2);
  EXPECT_TRUE(world.restarted);
  EXPECT_EQ(world.store.host, "node05");
  EXPECT_EQ(world.store.port, 15000 + 4321);
  EXPECT_EQ(world.launcher, "slurm");
}

TEST(World, TellsTheStepsOfASlurmJobApart) {
  Variables variables{{"SLURM_PROCID", "0"},
                      {"SLURM_NTASKS", "2"},
                      {"SLURM_JOB_NODELIST", "node[05-08]"},
                      {"SLURM_JOB_ID", "7654321"}};
  std::set<int> ports;
  for (const char* const step : {"0", "1", "2", "3", "99", "4294967291"}) {
    variables["SLURM_STEP_ID"] = step;
    const int port = world_of(variables).store.port;
    EXPECT_TRUE(port >= 15000 && port < 25000) << port;
    EXPECT_TRUE(ports.insert(port).second) << "step " << step << " takes another's port";
  }
  EXPECT_TRUE(ports.contains(15000 + 4321)) << "of the first step";
  variables["SLURM_JOB_ID"] = "7654322";
  variables["SLURM_STEP_ID"] = "0";
  EXPECT_FALSE(ports.contains(world_of(variables).store.port)) << "of the next job";
}

TEST(World, FindsTheFirstNodeOfItsSlurmStep) {
  EXPECT_EQ(world_of({{"SLURM_PROCID", "0"},
                      {"SLURM_NTASKS", "2"},
                      {"SLURM_JOB_NODELIST", "node[05-08]"},
                      {"SLURM_STEP_NODELIST", "node[07-08]"}})
                .store.host,
            "node07");
}

TEST(World, CountsTheTasksOfItsNode) {
  const auto tasks = [](const std::string& node) {
    return world_of({{"SLURM_PROCID", "0"},
                     {"SLURM_NTASKS", "11"},
                     {"SLURM_NODEID", node},
                     {"SLURM_TASKS_PER_NODE", "4(x2),3"},
                     {"SLURM_JOB_NODELIST", "a,b,c"}})
        .local_size;
  };
  EXPECT_EQ(tasks("0"), 4);
  EXPECT_EQ(tasks("1"), 4);
  EXPECT_EQ(tasks("2"), 3);
}

TEST(World, IsOneProcessInAnInteractiveSlurmJob) {
  EXPECT_EQ(
      world_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_NAME", "bash"}}).size, 1);
}

TEST(World, RejectsWhatContradictsItself) {
  EXPECT_THAT(complaint({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}),
              HasSubstr("RANK=2 of WORLD_SIZE=2"));
  EXPECT_THAT(complaint({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK is 'x'"));
  EXPECT_THAT(complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), HasSubstr("MASTER_ADDR"));
  EXPECT_THAT(complaint({{"OMPI_COMM_WORLD_RANK", "4"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK=4"));
}

TEST(FirstSlurmHost, ReadsEveryForm) {
  EXPECT_EQ(first_slurm_host("node05"), "node05");
  EXPECT_EQ(first_slurm_host("node[05-07,9],login"), "node05");
  EXPECT_EQ(first_slurm_host("node[3,5]"), "node3");
  EXPECT_EQ(first_slurm_host("a,b"), "a");
  EXPECT_EQ(first_slurm_host("a b"), "a");
  EXPECT_EQ(first_slurm_host("host[5-9]"), "host5");
  EXPECT_EQ(first_slurm_host("a[1-2]b[3-4]"), "a1b3");
  EXPECT_EQ(first_slurm_host("rack[01-02,7]n[10,12]-ib,login"), "rack01n10-ib");
  EXPECT_EQ(first_slurm_host("n[5]x,n[6]y"), "n5x");
  EXPECT_EQ(first_slurm_host("n[5"), "n5");
  EXPECT_EQ(first_slurm_host(""), "");
}

}  // namespace
}  // namespace yoke
