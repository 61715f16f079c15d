#include "yoke/report/machine/resources.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>

#include "tests/support/support.h"
#include "yoke/core/system/clock.h"
#include "yoke/report/machine/process_usage.h"
#include "yoke/run/resource_samples.h"

namespace yoke {
namespace {

using namespace std::chrono_literals;

/// The fields of each line after the header. Fails unless the file is whole lines.
std::vector<std::vector<std::string>> read_lines(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  EXPECT_TRUE(text.starts_with(resources_header())) << text;
  EXPECT_TRUE(text.ends_with("\n"));
  std::istringstream stream(text);
  std::vector<std::vector<std::string>> lines;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::vector<std::string>& fields = lines.emplace_back(1);
    for (const char letter : line) {
      if (letter == ',') {
        fields.emplace_back();
      } else {
        fields.back().push_back(letter);
      }
    }
  }
  return lines;
}

/// Works until `sampler`'s file has `count` lines and some processor time was used.
volatile double sink = 0;
void work_until_lines(const std::filesystem::path& path, std::size_t count) {
  const double begin = process_usage().cpu_seconds;
  while (process_usage().cpu_seconds < begin + 0.05 || read_lines(path).size() < count) {
    for (int i = 0; i < 10000; ++i) sink = sink + std::sqrt(i);
  }
}

TEST(ResourcesHeader, HasTheAgreedNames) {
  EXPECT_EQ(resources_header(),
            "seconds,rank,cpu_percent,rss_bytes,disk_read_bytes,disk_write_bytes,"
            "network_receive_bytes,network_send_bytes,gpu_percent,gpu_memory_bytes\n");
}

TEST(ResourceSampler, WritesLinesThatGrowWhileTheProcessWorks) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  {
    const ResourceSampler sampler(path, 3, 20ms);
    work_until_lines(path, 4);
    EXPECT_GT(sampler.peak_rss_bytes(), 1 << 20);
    EXPECT_FALSE(sampler.error());
  }
  const auto lines = read_lines(path);
  ASSERT_GE(lines.size(), 3u);
  double seconds = 0, cpu_percent = 0;
  EXPECT_EQ(std::stod(lines[0][0]), 0) << "of the sampler's start";
  EXPECT_EQ(lines[0][2], "");
  for (const auto& line : lines) {
    ASSERT_EQ(line.size(), 10u);
    EXPECT_GE(std::stod(line[0]), seconds);
    seconds = std::stod(line[0]);
    EXPECT_EQ(line[1], "3");
    if (&line != &lines[0]) cpu_percent = std::max(cpu_percent, std::stod(line[2]));
    EXPECT_GT(std::stoll(line[3]), 1 << 20);
  }
  EXPECT_GT(cpu_percent, 0);
  EXPECT_GE(std::stod(lines.back()[0]), 0.06);
}

TEST(ResourceSampler, WritesALastLineWhenTheRunIsShorterThanAPeriod) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  { const ResourceSampler sampler(path, 0, 1h); }
  EXPECT_EQ(read_lines(path).size(), 1u);
}

TEST(ResourceSampler, WritesWhatGpusAreDoing) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  {
    const ResourceSampler with(path, 0, 1h, 0,
                               GpuCounters({"0000:01:00.0"}, Nvml::open(YOKE_FAKE_NVML)));
  }
  { const ResourceSampler without(path, 1, 1h); }
  const auto lines = read_lines(path);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at(8), "42");
  EXPECT_EQ(lines[0].at(9), "3000000000");
  ASSERT_EQ(lines[1].size(), 10u);
  EXPECT_EQ(lines[1][8] + lines[1][9], "") << "no GPU of its own";
}

TEST(ResourceSampler, AppendsWithItsFirstSecondWhenResumed) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  { const ResourceSampler sampler(path, 0, 1h); }
  { const ResourceSampler sampler(path, 0, 1h, 1000); }
  const auto lines = read_lines(path);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LT(std::stod(lines[0][0]), 1000);
  EXPECT_GE(std::stod(lines[1][0]), 1000);
}

TEST(ResourceSampler, SharesAFileWithAnotherRankThatBeginsAtOnce) {
  constexpr int kTries = 500;
  const test::TemporaryDirectory directory;
  for (int i = 0; i < kTries; ++i) {
    const auto path = directory.path() / std::to_string(i);
    std::atomic<int> ready = 0;
    const auto sample = [&](int rank) {
      for (++ready; ready < 2;) {
      }
      const ResourceSampler sampler(path, rank, 1h);
    };
    std::thread other(sample, 1);
    sample(0);
    other.join();
    std::multiset<std::string> seen;
    for (const auto& line : read_lines(path)) seen.insert(line.at(1));
    ASSERT_THAT(seen, testing::ElementsAre("0", "1")) << read_file(path);
  }
}

TEST(ResourceSampler, TellsWhyItEndedWhenTheDiskIsFull) {
  const ResourceSampler sampler("/dev/full", 0, 1ms);
  ASSERT_TRUE(sampler.error());
  EXPECT_THAT(*sampler.error(), testing::HasSubstr("No space left"));
}

TEST(ResourceSampler, TellsWhyItCannotBeginWhenThereIsNoFolder) {
  const ResourceSampler sampler("/nonexistent/resources.csv", 0);
  ASSERT_TRUE(sampler.error());
  EXPECT_THAT(*sampler.error(), testing::HasSubstr("/nonexistent/resources.csv"));
}

TEST(ResourceCounters, ParsesWhatTheKernelWrites) {
  ResourceReading reading;
  parse_memory("2045 1024 700 9 0 400 0\n", 4096, reading);
  parse_disk(
      "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 5\n",
      reading);
  parse_network(
      "Inter-|   Receive                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes ...\n"
      "    lo:    3267   29  0 0 0 0 0 0     3267  29 0 0 0 0 0 0\n"
      "  eth0:83135382 1747  0 0 0 0 0 0    73738 977 0 0 0 0 0 0\n",
      reading);
  EXPECT_EQ(reading.rss_bytes, 1024 * 4096);
  EXPECT_EQ(reading.disk_read_bytes, 4096);
  EXPECT_EQ(reading.disk_write_bytes, 8192);
  EXPECT_EQ(reading.network_receive_bytes, 3267 + 83135382);
  EXPECT_EQ(reading.network_send_bytes, 3267 + 73738);
}

TEST(ResourceCounters, LeavesOutWhatTheKernelDoesNotTell) {
  ResourceReading reading;
  parse_memory("", 4096, reading);
  parse_disk("", reading);
  parse_network("", reading);
  EXPECT_FALSE(reading.rss_bytes);
  EXPECT_FALSE(reading.disk_read_bytes);
  EXPECT_FALSE(reading.disk_write_bytes);
  EXPECT_FALSE(reading.network_receive_bytes);
  EXPECT_FALSE(reading.network_send_bytes);
}

TEST(ProcessUsage, CountsProcessorTimeAndMemory) {
  const ProcessUsage before = process_usage();
  constexpr std::size_t kBytes = 64 << 20;
  // Of the system, for malloc may have as much of earlier tests; touched.
  void* const block =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  while (process_usage().cpu_seconds < before.cpu_seconds + 0.01) sink = sink + 1;
  const ProcessUsage after = process_usage();
  EXPECT_GE(after.rss_bytes, before.rss_bytes + (60 << 20));
  EXPECT_GE(after.peak_rss_bytes, after.rss_bytes);
  ::munmap(block, kBytes);
}

}  // namespace
}  // namespace yoke
