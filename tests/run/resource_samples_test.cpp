#include "yoke/run/resource_samples.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

TEST(ResourceSamples, ReadWhatWasWritten) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  ResourceSample sample{.seconds = 1.5, .rank = 3, .cpu_percent = 99.5, .rss_bytes = 4096};
  sample.gpu_memory_bytes = 12;
  write_file(path, resources_header() + to_line(sample) + "torn,li\n" + to_line({}) + "2.0,1");
  const auto read = read_resources(path);
  ASSERT_EQ(read.lines.size(), 2U);
  EXPECT_EQ(read.damaged, 1U);
  EXPECT_EQ(read.lines[0].seconds, 1.5);
  EXPECT_EQ(read.lines[0].rank, 3);
  EXPECT_EQ(read.lines[0].cpu_percent, 99.5);
  EXPECT_EQ(read.lines[0].rss_bytes, 4096);
  EXPECT_EQ(read.lines[0].gpu_memory_bytes, 12);
  EXPECT_FALSE(read.lines[0].disk_read_bytes.has_value());
  EXPECT_FALSE(read.lines[1].cpu_percent.has_value());
}

TEST(ResourceSamples, ReadTheFewerColumnsOfEarlierVersions) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  write_file(path,
             "seconds,rank,cpu_percent,rss_bytes,disk_read_bytes,disk_write_bytes,"
             "network_receive_bytes,network_send_bytes\n0.5,0,50.0,1,2,3,4,5\n");
  const auto read = read_resources(path);
  ASSERT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.lines[0].network_send_bytes, 5);
  EXPECT_FALSE(read.lines[0].gpu_percent.has_value());
}

TEST(ResourceSamples, TakeNoTimeOrRankThatIsNone) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "resources.csv";
  write_file(path, resources_header() + "nan,0,,,,,,\ninf,0,,,,,,\n1.0,1e300,,,,,,\n" +
                       "1.0,0,nan,,,,,\n");
  const auto read = read_resources(path);
  ASSERT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.damaged, 3U);
  EXPECT_FALSE(read.lines[0].cpu_percent.has_value());
}

}  // namespace
}  // namespace yoke
