// Run directories as they are found: whole, running, torn, incomplete.
#include "yoke/run/run_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using test::make_run;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReadRun, FindsAllThatACompletedRunHolds) {
  const TemporaryDirectory directory;
  make_run(directory.path(), {.ranks = 2});
  const RunResults run = read_run(directory.path());
  EXPECT_EQ(run.status, "completed");
  EXPECT_THAT(run.remarks, IsEmpty());
  EXPECT_EQ(run.config.at("batch-size"), "100");
  EXPECT_EQ(run.training.size(), 4U);
  EXPECT_EQ(run.validation.size(), 2U);
  EXPECT_EQ(run.validation.back().step, 40);
  EXPECT_EQ(run.resources.size(), 8U);
  EXPECT_EQ(run.resources[1].rank, 1);
  EXPECT_DOUBLE_EQ(*run.resources[1].cpu_percent, 91);
  EXPECT_EQ(run.text("hardware.cpu"), "Test CPU");
  EXPECT_NEAR(*run.number("communication_seconds"), 0.4, 1e-12);
  EXPECT_THAT(run.classes, ElementsAre("one & only", "<two>", "three_3"));
  EXPECT_TRUE(std::isnan(run.per_class_accuracy[2]));
  EXPECT_THAT(run.confusion[1], ElementsAre(15, 80, 5));
}

TEST(ReadRun, FindsHowSureTheNetworkIsWhereTheRunTells) {
  const TemporaryDirectory directory;
  make_run(directory.path(), {.confident = true});
  const RunResults run = read_run(directory.path());
  ASSERT_EQ(run.confidence_bins.size(), 3U);
  EXPECT_EQ(run.confidence_bins[2].images, 150);
  EXPECT_EQ(run.number("val_macro_f1"), 0.84);
  make_run(directory.path());
  EXPECT_THAT(read_run(directory.path()).confidence_bins, IsEmpty());
}

TEST(ReadRun, EndsEachPhaseWhereTheNextBegins) {
  const TemporaryDirectory directory;
  make_run(directory.path());
  const auto phases = read_run(directory.path()).phases;
  ASSERT_EQ(phases.size(), 5U);
  EXPECT_EQ(phases[2].kind, PhaseKind::kEvaluating);
  EXPECT_DOUBLE_EQ(phases[2].begin, 5);
  EXPECT_DOUBLE_EQ(phases[2].end, 5.2);
  EXPECT_DOUBLE_EQ(phases[4].end, 10.2);
}

TEST(ReadRun, AddsUpTheReportsOfARunThatGoesOn) {
  const TemporaryDirectory directory;
  make_run(directory.path(), {.status = ""});
  write_file(directory.path() / "phases.csv", "seconds,phase\n0.000,loading\n0.500,training\n");
  const RunResults run = read_run(directory.path());
  EXPECT_EQ(run.status, "unfinished");
  EXPECT_NEAR(*run.number("train_seconds"), 10, 1e-9);
  EXPECT_DOUBLE_EQ(*run.number("val_top1"), 0.8);
  EXPECT_DOUBLE_EQ(*run.number("epochs"), 2);
  EXPECT_EQ(run.text("model"), "lab-cnn");
  EXPECT_DOUBLE_EQ(run.phases.back().end, 10.5);  // the last moment that any file tells of
  EXPECT_THAT(run.remarks, ElementsAre(HasSubstr("summary.json is missing")));
}

TEST(ReadRun, LeavesOutAHalfWrittenLastLineWithoutAWord) {
  const TemporaryDirectory directory;
  make_run(directory.path());
  for (const char* const name : {"metrics.jsonl", "resources.csv", "phases.csv"}) {
    const std::string text = read_file(directory.path() / name);
    write_file(directory.path() / name, text.substr(0, text.size() - 5));
  }
  const RunResults run = read_run(directory.path());
  EXPECT_EQ(run.training.size() + run.validation.size(), 5U);
  EXPECT_EQ(run.resources.size(), 3U);
  EXPECT_THAT(run.remarks, IsEmpty());
}

TEST(ReadRun, CountsDamagedLinesAndGoesOn) {
  const TemporaryDirectory directory;
  make_run(directory.path());
  const auto metrics = directory.path() / "metrics.jsonl";
  write_file(metrics, "{\"step\":\n[1]\n" + read_file(metrics));
  const auto resources = directory.path() / "resources.csv";
  write_file(resources, read_file(resources) + "x,0,1,1,1,1,1,1\n1.5,0\n");
  const RunResults run = read_run(directory.path());
  EXPECT_EQ(run.training.size(), 4U);
  EXPECT_THAT(run.remarks, ElementsAre(HasSubstr("metrics.jsonl: 2 damaged lines"),
                                       HasSubstr("resources.csv: 2 damaged lines")));
}

TEST(ReadRun, HasNoNumberForALossThatWasNotFinite) {
  const TemporaryDirectory directory;
  make_run(directory.path());
  auto summary = nlohmann::json::parse(read_file(directory.path() / "summary.json"));
  summary["val_loss"] = nullptr;
  write_file(directory.path() / "summary.json", summary.dump());
  const auto metrics = directory.path() / "metrics.jsonl";
  write_file(metrics, read_file(metrics) +
                          "{\"step\": 50, \"epoch\": 2.5, \"seconds\": 11, \"split\": \"val\", "
                          "\"loss\": null, \"top1\": 0.1}\n");
  const RunResults run = read_run(directory.path());
  EXPECT_TRUE(std::isnan(run.validation.back().loss));
  EXPECT_FALSE(run.number("val_loss").has_value());
}

TEST(ReadRun, EndsWithASummaryThatIsNestedWithoutEnd) {
  const TemporaryDirectory directory;
  std::string text;
  for (int depth = 0; depth < 200'000; ++depth) text += "{\"a\":";
  write_file(directory.path() / "summary.json", text + "1" + std::string(200'000, '}'));
  EXPECT_NO_THROW(read_run(directory.path()));
}

TEST(ReadRun, NamesEachFileThatIsMissing) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "config.toml", "model = 'mlp'\n");
  const RunResults run = read_run(directory.path());
  EXPECT_EQ(run.status, "unfinished");
  EXPECT_EQ(run.remarks.size(), 4U);
}

TEST(ReadRun, RefusesAFolderThatIsNoRun) {
  const TemporaryDirectory directory;
  EXPECT_THROW(read_run(directory.path()), UsageError);
  EXPECT_THROW(read_run(directory.path() / "absent"), UsageError);
}

}  // namespace
}  // namespace yoke
