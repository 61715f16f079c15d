// tests/cluster/simulate_cluster_test.cpp: scripts/simulate-cluster makes hosts with shares of the
// processors and links of a speed, and takes them away.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "tests/support/hosts.h"
#include "yoke/core/files/file.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::string> cluster_words(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), YOKE_SOURCE_DIR "/scripts/simulate-cluster");
  return arguments;
}

ProgramResult cluster(std::vector<std::string> arguments) {
  return run_program(cluster_words(std::move(arguments)));
}

double number_after(const std::string& name, const std::string& output) {
  std::smatch found;
  if (!std::regex_search(output, found, std::regex(name + "=([0-9.]+)"))) return -1;
  return std::stod(found[1]);
}

class SimulateCluster : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = Hosts::why_not(); !why.empty()) GTEST_SKIP() << why;
    const auto tried = cluster({"1", "--cores", "0.5", "--", "true"});
    if (tried.output.find("nobody make control groups") != std::string::npos) {
      GTEST_SKIP() << tried.output;
    }
  }
};

TEST_F(SimulateCluster, HostsReachEachOtherByNameAndEndWithTheStatusOfTheCommand) {
  const auto result =
      cluster({"2", "--", "sh", "-c",
               "hostname; ssh host2 hostname; pwd; ssh host1 'echo $SHELL'; exit 7"});
  EXPECT_EQ(result.status, 7);
  EXPECT_THAT(result.output,
              HasSubstr("host1\nhost2\n" + fs::current_path().string() + "\n/bin/sh\n"));
}

// A limit is one on a slow machine, too.
TEST_F(SimulateCluster, GivesAHostNoMoreThanItsShareOfTheProcessors) {
  const auto result =
      cluster({"2", "--cores", "0.2", "--", "ssh", "host2",
               "/usr/bin/python3 -c 'import time\nwall, cpu = time.time(), time.process_time()\n"
               "while time.time() < wall + 2: pass\n"
               "print(\"share=%f\" % ((time.process_time() - cpu) / (time.time() - wall)))'"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_GT(number_after("share", result.output), 0) << result.output;
  EXPECT_LT(number_after("share", result.output), 0.3) << result.output;
}

/// Prints quota and period of its control group, in microseconds.
constexpr const char* kQuota = R"(
group=$(grep -h -o 'yoke-[^/]*' /proc/self/cgroup | head -1)
cd /sys/fs/cgroup/$group 2>/dev/null && exec cat cpu.max
cd /sys/fs/cgroup/cpu/$group && echo $(cat cpu.cfs_quota_us cpu.cfs_period_us)
)";

// Linux gives a host less than its share where a period leaves it too little to compute or to wait,
// and one that waited computes for a whole quota as if it had a whole processor.
TEST_F(SimulateCluster, GivesAShareInPiecesThatAreShortButNotTooShort) {
  const auto quota = [](const char* cores) {
    return cluster({"1", "--cores", cores, "--", "sh", "-c", kQuota}).output;
  };
  EXPECT_THAT(quota("0.2"), HasSubstr("\n2000 10000\n"));
  EXPECT_THAT(quota("0.5"), HasSubstr("\n2000 4000\n"));
  EXPECT_THAT(quota("0.75"), HasSubstr("\n6000 8000\n"));
  EXPECT_THAT(quota("1"), HasSubstr("\n10000 10000\n"));
}

TEST_F(SimulateCluster, GivesALinkNoMoreThanItsSpeed) {
  // 5 MB are 40 Mbit, of which a burst passes at once; without a limit they take one second by ssh.
  const auto result =
      cluster({"2", "--link-mbit", "10", "--", "/usr/bin/python3", "-c",
               "import subprocess, time\n"
               "sender = subprocess.Popen(['ssh', 'host2', 'head -c 5000000 /dev/urandom'],\n"
               "                          stdout=subprocess.PIPE)\n"
               "got = sender.stdout.read(1)\nbegin = time.time()\ngot += sender.stdout.read()\n"
               "print('bytes=%d seconds=%f' % (len(got), time.time() - begin))"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(number_after("bytes", result.output), 5'000'000) << result.output;
  EXPECT_GT(number_after("seconds", result.output), 3.5) << result.output;
}

/// host2 sends 40 MB to host1 and prints the mean size of its packets.
constexpr const char* kBulk = R"(import socket, subprocess, sys

def sent():
    words = next(line for line in open("/proc/net/dev") if "eth0:" in line).split(":")[1].split()
    return int(words[8]), int(words[9])

if len(sys.argv) > 1:
    before = sent()
    with socket.create_connection(("host1", int(sys.argv[1]))) as peer:
        peer.sendall(bytes(40_000_000))
    after = sent()
    print("mean=%f" % ((after[0] - before[0]) / (after[1] - before[1])))
else:
    with socket.create_server(("", 0)) as server:
        port = str(server.getsockname()[1])
        sender = subprocess.Popen(["ssh", "host2", "/usr/bin/python3", __file__, port])
        with server.accept()[0] as peer:
            while peer.recv(1 << 20):
                pass
        sys.exit(sender.wait())
)";

// Cut into those of the wire they would take processor time that network cards spend elsewhere.
TEST_F(SimulateCluster, LeavesLargePacketsWhole) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "bulk.py", kBulk);
  const auto result = cluster(
      {"2", "--link-mbit", "1000", "--", "/usr/bin/python3", (folder.path() / "bulk.py").string()});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_GT(number_after("mean", result.output), 10'000) << result.output;
}

TEST_F(SimulateCluster, LeavesNothingBehindWhenItIsKilled) {
  const TemporaryDirectory folder;
  const auto told = folder.path() / "told";
  BackgroundProgram killed(cluster_words(
      {"2", "--cores", "0.3", "--", "sh", "-c",
       fmt::format("grep -h yoke /proc/self/cgroup | cut -d: -f3 >{0}.new; "
                   "dirname $(sed -n 's/.*IdentityFile //p' /etc/ssh/ssh_config) >>{0}.new; "
                   "mv {0}.new {0}; sleep 1000",
                   told.string())}));
  ASSERT_TRUE(comes_true([&] { return fs::exists(told); })) << killed.output();
  std::string group, made;
  std::istringstream(read_file(told)) >> group >> made;
  group = fs::path(group).filename();  // in a container its path may be that of the host
  ASSERT_TRUE(group.starts_with("yoke-")) << group;
  const auto in_version = [&](const fs::path& place) { return fs::exists(place / group); };
  const auto is_there = [&] {
    return in_version("/sys/fs/cgroup") || in_version("/sys/fs/cgroup/cpu");
  };
  ASSERT_TRUE(is_there());
  ASSERT_TRUE(fs::exists(made));
  killed.send(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return !is_there() && !fs::exists(made); }));
}

TEST_F(SimulateCluster, SaysWhatIsAllowed) {
  EXPECT_THAT(cluster({"2", "--cores", "1000"}).output,
              HasSubstr("--cores is 1000; allowed: 0.1 to"));
  EXPECT_THAT(cluster({"2", "--cores", "0.05"}).output,
              HasSubstr("--cores is 0.05; allowed: 0.1 to"));
  EXPECT_THAT(cluster({"0"}).output, HasSubstr("HOSTS is 0; allowed: 1 to 99"));
  EXPECT_THAT(cluster({"2", "--link-mbit", "-1"}).output,
              HasSubstr("is -1; allowed: a number above 0"));
}

}  // namespace
}  // namespace yoke::test
