// `yoke find-lr` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

/// In a folder of its own, on few images: a second or two.
class YokeFindLr : public testing::Test {
 protected:
  test::ProgramResult find(const Words& more) const {
    Words words = {"sh",      "-c",        "cd \"$1\" && shift && exec \"$@\"",
                   "sh",      path(""),    YOKE_PROGRAM,
                   "find-lr", "--data",    "glyphs:train=2048,validation=100",
                   "--model", "mlp",       "--batch-size",
                   "128",     "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(words);
  }
  nlohmann::json found(Words more) const {
    more.emplace_back("--json");
    const auto result = find(more);
    EXPECT_EQ(result.status, 0) << result.output;
    return nlohmann::json::parse(test::last_line(result.output));
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  std::size_t files() const { return test::count_entries(directory_.path()); }

  test::TemporaryDirectory directory_;
};

/// The loss of the last epoch of a training at `lr`.
double loss_after_training(const std::filesystem::path& run, double lr) {
  const auto result = run_yoke(test::train_words(
      run,
      "--data glyphs:train=2048,validation=100 --model mlp --batch-size 128 --threads 1 "
      "--epochs 8 --print-every 16 --lr " +
          std::to_string(lr)));
  EXPECT_EQ(result.status, 0) << result.output;
  return test::step_reports(run).back().at("loss").get<double>();
}

TEST_F(YokeFindLr, SuggestsARateThatTrains) {
  const auto found = this->found({});
  const double minimum = found.at("minimum").get<double>();
  const double first = found.at("points").front().at("loss").get<double>();
  EXPECT_NEAR(first, 2.3, 0.1) << "of ten classes that nobody knows yet";
  EXPECT_LT(loss_after_training(path("run"), minimum), first / 3);
  EXPECT_LE(found.at("steep").get<double>(), 10.001 * minimum) << "it is before the least loss";
  EXPECT_TRUE(found.at("diverged"));
  EXPECT_EQ(found.at("points").size(), found.at("steps").get<std::size_t>());
}

TEST_F(YokeFindLr, DrawsLossOverRateAndLeavesNothingElse) {
  const auto result = find({"--out", "graph.svg", "--steps", "60"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("minimum / 10"), HasSubstr("steepest descent"),
                                   HasSubstr("graph      graph.svg")));
  EXPECT_THAT(read_file(path("graph.svg")),
              AllOf(HasSubstr("<svg"), HasSubstr("<text>learning rate</text>"),
                    HasSubstr("<text>cross-entropy per image (nats)</text>"),
                    HasSubstr("mlp on glyphs:train=2048,validation=100, 128 images a step")));
  EXPECT_EQ(files(), 1U);
}

TEST_F(YokeFindLr, ReplacesAGraphOnlyWhenForced) {
  write_file(path("graph.pdf"), "precious");
  const auto refused = find({"-o", "graph.pdf"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("graph.pdf exists already"));
  EXPECT_EQ(read_file(path("graph.pdf")), "precious");
  EXPECT_EQ(find({"-o", "graph.pdf", "--force", "--steps", "40"}).status, 0);
  EXPECT_THAT(read_file(path("graph.pdf")), testing::StartsWith("%PDF"));
}

TEST_F(YokeFindLr, SaysHowToTrainAtTheRate) {
  write_file(path("a recipe.toml"), "lr = 0.5\nschedule = 'cosine'\nstrategy = 'hogwild'\n");
  const auto found =
      this->found({"--recipe", "a recipe.toml", "--optimizer", "adam", "--deterministic"});
  EXPECT_THAT(found.at("command").get<std::string>(),
              HasSubstr("yoke train --recipe 'a recipe.toml' --data "
                        "'glyphs:train=2048,validation=100' --model mlp --batch-size 128 "
                        "--optimizer adam --threads 1 --deterministic --lr 0.0"));
}

TEST_F(YokeFindLr, BeginsWithTheWeightsThatAreGiven) {
  loss_after_training(path("run"), 0.05);
  const auto found = this->found({"--weights", path("run/model.safetensors")});
  EXPECT_LT(found.at("points").front().at("loss").get<double>(), 1);
}

/// Up to where steps are so large that rounding shows.
TEST_F(YokeFindLr, FindsTheSameOnEachEngineAndNumberOfReplicas) {
  const auto expected = this->found({"--engine", "eager"}).at("points");
  for (const char* const engine : {"eager", "compiled"}) {
    const auto points = this->found({"--engine", engine, "--replicas", "2"}).at("points");
    ASSERT_GT(points.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_NEAR(points[i].at("loss").get<double>(), expected[i].at("loss").get<double>(), 1e-3);
    }
  }
}

TEST_F(YokeFindLr, EndsWithALossThatIsNoNumber) {
  const auto result = find({"--from", "1e37", "--to", "1e38", "--json"});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("Ended at step 2 of 100"), HasSubstr(R"("loss":null)"),
                                   HasSubstr(R"("minimum":null,"steep":null,"command":null)"),
                                   HasSubstr("the loss fell at none of the rates")));
}

TEST_F(YokeFindLr, RefusesWhatMakesNoTest) {
  const auto refusal = [&](const Words& more) {
    const auto result = find(more);
    EXPECT_EQ(result.status, 2) << result.output;
    return result.output;
  };
  EXPECT_THAT(refusal({"--lr", "0.1"}), HasSubstr("--lr 0.1 is given, but the learning rate is "));
  EXPECT_THAT(refusal({"--schedule", "cosine"}), HasSubstr("--schedule cosine is given, but"));
  EXPECT_THAT(refusal({"--from", "1", "--to", "0.1"}), HasSubstr("--to is the higher one"));
  EXPECT_THAT(refusal({"--steps", "9"}),
              HasSubstr("--steps is 9; allowed: a whole number from 10"));
  EXPECT_THAT(refusal({"--out", "graph.txt"}), HasSubstr("ends in .svg, .png or .pdf"));
  EXPECT_THAT(refusal({"--optimizer", "lbfgs"}), HasSubstr("searches along a line"));
  EXPECT_THAT(refusal({"--epochs", "3"}), HasSubstr("unknown flag '--epochs'"));
  EXPECT_EQ(files(), 0U);
}

TEST(FindLr, RefusesAModelWithoutDataAndDataThatIsNotThere) {
  const auto no_data = run_yoke({"find-lr", "--model", "lenet"});
  EXPECT_EQ(no_data.status, 2);
  EXPECT_THAT(no_data.output, HasSubstr("nothing to train on"));
  const auto absent = run_yoke({"find-lr", "--data", "mnist", "--data-dir", "/nowhere"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.output, HasSubstr("yoke data fetch mnist"));
}

TEST(FindLr, RefusesToBeOneOfSeveralRanks) {
  for (const auto& result : test::run_yoke_ranks(2, {"find-lr", "--data", "glyphs"})) {
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("started as one of 2 ranks"));
  }
}

TEST(FindLr, ShowsNoFlagThatItRefuses) {
  const auto help = run_yoke({"find-lr", "--help"}).output;
  EXPECT_THAT(help, AllOf(HasSubstr("--weights FILE"), HasSubstr("--lr-scale NAME"),
                          HasSubstr("--label-smoothing N"), HasSubstr("--from N"),
                          Not(HasSubstr("--lr N")), Not(HasSubstr("--schedule"))));
}

}  // namespace
}  // namespace yoke
