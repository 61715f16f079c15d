// Which runs a scheduler gets, and what of earlier tries stays.
#include "yoke/study/emit/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/emitted.h"
#include "yoke/core/error.h"

namespace yoke::study {
namespace {

using test::EmittedStudy;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr const char* kTwoPoints =
    "[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nlr = [1, 2]\n[kubernetes]\nimage = 'i'\n"
    "claim = 'c'\nresources = { cpu = 1 }\n";

void complete(const Job& job) {
  prepare(job);
  fs::create_directories(job.directory);
  write_file(job.directory / "summary.json", "{\"status\": \"completed\"}");
}

TEST(Emit, LeavesOutRunsThatHaveCompleted) {
  const EmittedStudy study(kTwoPoints);
  complete(study.jobs()[0]);
  EXPECT_EQ(study.emit("slurm"), 1);
  const std::string script = study.text("slurm", "1x1.sh");
  EXPECT_THAT(script, HasSubstr("'lr=2-r1'"));
  EXPECT_THAT(script, Not(HasSubstr("lr=1-r1")));
  EXPECT_EQ(read_file(study.jobs()[1].flags_path()), flags_text(study.jobs()[1]));
  EXPECT_EQ(study.emit("kubernetes"), 1);
  EXPECT_THAT(study.text("kubernetes", study.name(1) + ".json"), HasSubstr("lr=2-r1"));
  EXPECT_FALSE(fs::exists(study.out() / "kubernetes" / (study.name(0) + ".json")));
}

TEST(Emit, WritesNothingWhenNothingIsLeft) {
  const EmittedStudy study("[study]\nrepetitions = 1\nwarm-up = 0\n");
  complete(study.jobs()[0]);
  EXPECT_EQ(study.emit("slurm"), 0);
  EXPECT_FALSE(fs::exists(study.out() / "slurm"));
}

TEST(Emit, KeepsATryWithTheSameFlagsAlone) {
  const EmittedStudy study(kTwoPoints);
  for (const auto& job : study.jobs()) {
    prepare(job);
    fs::create_directories(job.directory / "checkpoints" / "step-00000001");
  }
  write_file(study.jobs()[1].flags_path(), "lr = 3\n");
  study.emit("slurm");
  EXPECT_TRUE(fs::exists(study.jobs()[0].directory / "checkpoints" / "step-00000001"));
  const auto other = study.jobs()[1].directory;
  EXPECT_FALSE(fs::exists(other));
  const auto aside = other.parent_path() / ("earlier-" + other.filename().string());
  EXPECT_TRUE(fs::exists(aside / "checkpoints" / "step-00000001"));
}

TEST(Emit, TakesTheFilesOfAnEarlierTimeAwayButNotOthers) {
  const EmittedStudy study(kTwoPoints);
  const auto folder = study.out() / "kubernetes";
  study.emit("kubernetes");
  for (const char* const mine : {"mine.sh", "mine.json", "jobs"}) write_file(folder / mine, "17\n");
  complete(study.jobs()[0]);
  study.emit("kubernetes");
  EXPECT_FALSE(fs::exists(folder / (study.name(0) + ".json")));
  EXPECT_TRUE(fs::exists(folder / (study.name(1) + ".json")));
  for (const char* const mine : {"mine.sh", "mine.json", "jobs"}) {
    ASSERT_TRUE(fs::exists(folder / mine)) << mine;
    EXPECT_EQ(study.text("kubernetes", mine), "17\n");
  }
}

TEST(Emit, RefusesToReplaceAFileThatItDidNotWrite) {
  const EmittedStudy study(kTwoPoints);
  const auto folder = study.out() / "slurm";
  const auto refuses = [&] {
    const auto before = test::count_entries(folder);
    EXPECT_THROW(study.emit("slurm"), UsageError);
    EXPECT_EQ(study.text("slurm", "submit.sh"), "mine\n");
    EXPECT_EQ(test::count_entries(folder), before);
  };
  fs::create_directories(folder);
  write_file(folder / "submit.sh", "mine\n");
  refuses();
  fs::remove(folder / "submit.sh");
  study.emit("slurm");
  write_file(folder / "submit.sh", "mine\n");  // changed since it was written
  refuses();
}

TEST(Emit, RefusesSchedulersThatItDoesNotKnow) {
  const EmittedStudy study(kTwoPoints);
  try {
    study.emit("pbs");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("allowed: kubernetes, slurm"));
  }
}

TEST(Emit, NamesJobsAsDomainNamesMayBe) {
  EmitContext context;
  for (const auto& [out, name] :
       {std::pair("/runs/workers", "yoke-workers"),
        std::pair("/runs/My Study_2 (a)", "yoke-my-study-2-a"), std::pair("/runs/\u00fc", "yoke"),
        std::pair("/a/0123456789012345678901234567890123456789",
                  "yoke-01234567890123456789012345678901234")}) {
    context.out = out;
    EXPECT_EQ(context.job_name(), name);
  }
}

}  // namespace
}  // namespace yoke::study
