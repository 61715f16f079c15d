#include "yoke/run/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/file_size_limit.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

TEST(Metrics, EveryFieldIsReadAsItWasWritten) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "metrics.jsonl";
  Metrics written;
  double number = 0;
  Metrics::visit(written, [&](const char*, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
      field = "val";
    } else if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::vector<double>>) {
      field = {0.25, 0.5};
    } else {
      field = static_cast<std::decay_t<decltype(field)>>(++number);
    }
  });
  MetricsFile(path).write(written);
  const auto read = read_metrics(path);
  ASSERT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.damaged, 0U);
  EXPECT_EQ(read.lines[0].split, "val");
  EXPECT_EQ(read.lines[0].step, 1);
  EXPECT_EQ(read.lines[0].communication_bytes, static_cast<std::int64_t>(number));
  EXPECT_EQ(read.lines[0].rank_top1, written.rank_top1);
}

TEST(Metrics, ALossThatIsNotFiniteIsReadAsNotANumber) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "metrics.jsonl";
  MetricsFile(path).write({.step = 3, .split = "train", .loss = std::nan("")});
  EXPECT_TRUE(std::isnan(read_metrics(path).lines.at(0).loss));
}

TEST(Metrics, AreCutBackToAStepWhateverElseTheFileHolds) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "metrics.jsonl";
  MetricsFile(path).write({.step = 1, .split = "train"});
  MetricsFile(path).write({.step = 3, .split = "train"});
  const std::string own = read_file(path);
  write_file(path,
             "{\"step\":\"1\",\"split\":\"train\"}\n{\"step\":1e300}\n[1]\nno report\n" + own);
  MetricsFile(path, /*resume_step=*/2);
  EXPECT_EQ(read_file(path), own.substr(0, own.find('\n') + 1));
}

TEST(Metrics, LoseNothingToADiskThatIsFullForAWhile) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "metrics.jsonl";
  MetricsFile file(path);
  file.write({.step = 1, .split = "train"});
  {
    const test::FileSizeLimit limit(std::filesystem::file_size(path) + 10);
    EXPECT_THROW(file.write({.step = 2, .split = "train"}), Error);
    EXPECT_EQ(read_metrics(path).lines.size(), 1U);
    EXPECT_THROW(file.write({.step = 3, .split = "train"}), Error);
  }
  file.write({.step = 4, .split = "train"});
  const auto read = read_metrics(path);
  EXPECT_EQ(read.damaged, 0U);
  ASSERT_EQ(read.lines.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.lines[i].step, static_cast<std::int64_t>(i + 1));
  }
}

}  // namespace
}  // namespace yoke
