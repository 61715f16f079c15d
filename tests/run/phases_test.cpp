#include "yoke/run/phases.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

TEST(PhaseFile, AppendsALineForEachPhase) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "phases.csv";
  PhaseFile file(path);
  file.begin(PhaseKind::kLoading, 0);
  EXPECT_EQ(read_file(path), "seconds,phase\n0.000,loading\n");
  file.begin(PhaseKind::kTraining, 1.5);
  EXPECT_EQ(read_file(path), "seconds,phase\n0.000,loading\n1.500,training\n");
}

TEST(PhaseFile, DropsWhatCameAfterTheCheckpointWhenResumed) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "phases.csv";
  write_file(path, "seconds,phase\n0.000,loading\n1.000,training\n5.000,checkpointing\n5.2,trai");
  PhaseFile(path).begin(PhaseKind::kLoading, 5);
  EXPECT_EQ(read_file(path), "seconds,phase\n0.000,loading\n1.000,training\n5.000,loading\n");
  write_file(path, "seconds,phase\n0.000,loading\n1.0");
  PhaseFile(path).begin(PhaseKind::kLoading, 5);
  EXPECT_EQ(read_file(path), "seconds,phase\n0.000,loading\n5.000,loading\n");
}

}  // namespace
}  // namespace yoke
