// `yoke study race` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::run_yoke;
using testing::HasSubstr;

class YokeRace : public testing::Test {
 protected:
  /// A recipe that reaches `target` on glyphs at once, and `more` flags.
  void recipe(double target, const std::string& more = "") const {
    write_file(path("easy.toml"),
               "model = 'mlp'\ndata = 'glyphs:train=1024,validation=200'\nepochs = 8\nthreads = 1\n"
               "batch-size = 64\nlr = 0.05\ntensorboard = false\ntarget-accuracy = " +
                   std::to_string(target) + "\n" + more);
  }
  test::ProgramResult race(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"study",   "race",         path("easy.toml"), "--out",
                                      path("r"), "--scoreboard", path("s.jsonl")};
    words.insert(words.end(), more.begin(), more.end());
    return run_yoke(words);
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  test::TemporaryDirectory directory_;
};

TEST_F(YokeRace, VerifiesEachSeedAndKeepsTheScoreboard) {
  recipe(0.2);
  const auto result = race({"--repetitions", "2"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("seed 1: claims "));
  EXPECT_THAT(result.output, HasSubstr("2 of 2 runs reached 20.00 %: median "));
  EXPECT_THAT(read_file(path("s.md")), HasSubstr("| 1 | easy | 2 of 2 |"));
  EXPECT_TRUE(fs::exists(path("r") + "/report.html"));
  ASSERT_EQ(race({"--repetitions", "2"}).status, 0);  // nothing is run, nothing is added
  const std::string lines = read_file(path("s.jsonl"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST_F(YokeRace, SaysThatATargetWasNotReached) {
  recipe(1.0, "label-smoothing = 0.1\n");
  std::string text = read_file(path("easy.toml"));
  text.replace(text.find("lr = 0.05"), 9, "lr = 1e-9");
  text.replace(text.find("epochs = 8"), 10, "epochs = 1");
  write_file(path("easy.toml"), text);
  const auto result = race();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("target not reached in 1 epochs"));
  EXPECT_THAT(result.output, HasSubstr("0 of 1 runs reached 100.00 %"));
  EXPECT_THAT(read_file(path("s.md")), HasSubstr("| | easy | 0 of 1 |"));
}

TEST_F(YokeRace, CountsARunThatFails) {
  recipe(0.2);
  std::string text = read_file(path("easy.toml"));
  text.replace(text.find("lr = 0.05"), 9, "lr = 1e6");
  write_file(path("easy.toml"), text);
  const auto result = race();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("seed 1: failed, so the target was not reached"));
  EXPECT_THAT(result.output, HasSubstr("0 of 1 runs reached 20.00 %"));
  EXPECT_THAT(read_file(path("s.md")), HasSubstr("| easy | 0 of 1 |"));
}

TEST_F(YokeRace, KeepsNoScoreboardWithoutARun) {
  write_file(path("easy.toml"), "data = 'mnist'\ntarget-accuracy = 0.2\n");
  const auto result = race({"--data-dir", path("absent")});
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("yoke data fetch mnist"));
  EXPECT_FALSE(fs::exists(path("s.jsonl")));
}

TEST_F(YokeRace, CountsTheWorkersOfHogwildAsRanks) {
  recipe(0.2, "strategy = 'hogwild:workers=2'\n");
  const auto result = race();
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(read_file(path("s.md")), HasSubstr("2 ranks on 1 host"));
}

TEST_F(YokeRace, RefutesAClaimThatTheWeightsDoNotKeep) {
  recipe(0.2);
  ASSERT_EQ(race().status, 0);
  // Weights of another training under the same claim.
  const auto run = fs::path(path("r")) / "runs" / "easy-r1";
  const auto other = run_yoke({"train", "--recipe", (run / "config.toml").string(), "--seed", "9",
                               "--max-steps", "1", "--lr", "1e-9", "--out", path("other")});
  ASSERT_EQ(other.status, 0) << other.output;
  fs::copy_file(path("other") + "/model.safetensors", run / "model.safetensors",
                fs::copy_options::overwrite_existing);
  const auto result = race();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the claim does NOT hold"));
  EXPECT_THAT(read_file(path("s.md")), HasSubstr("| easy | 0 of 1 |"));
}

TEST_F(YokeRace, RefusesAScoreboardThatCannotBeWrittenBeforeItRuns) {
  recipe(0.2);
  write_file(path("file"), "");
  const auto result = run_yoke({"study", "race", path("easy.toml"), "--out", path("r"),
                                "--scoreboard", path("file") + "/s.jsonl"});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("cannot make the folder " + path("file")));
  EXPECT_FALSE(fs::exists(path("r")));
}

TEST_F(YokeRace, RefusesWhatTheRulesDoNotAllow) {
  const auto refusal = [&](const std::string& more, const std::vector<std::string>& words = {}) {
    recipe(0.2, more);
    const auto result = race(words);
    EXPECT_EQ(result.status, 2) << result.output;
    return result.output;
  };
  write_file(path("easy.toml"), "model = 'mlp'\n");
  EXPECT_THAT(race().output, HasSubstr("target-accuracy"));
  EXPECT_THAT(refusal("device = 'cuda'\n"), HasSubstr("processors"));
  EXPECT_THAT(refusal("weights = 'w.pt'\n"), HasSubstr("random weights"));
  EXPECT_THAT(refusal("", {"--hosts", "a,b,c,d"}), HasSubstr("at most 3"));
  write_file(path("easy.toml"), "epochs = 41\ntarget-accuracy = 0.2\n");
  EXPECT_THAT(race().output, HasSubstr("at most 40"));
  write_file(path("easy.toml"), "max-steps = 41\ntarget-accuracy = 0.2\n");
  EXPECT_THAT(race().output, HasSubstr("max-steps alone"));
  write_file(path("easy.toml"),
             "data = 'fashion-mnist:validation_limit=9'\ntarget-accuracy = 0.2\n");
  EXPECT_THAT(race().output, HasSubstr("leave validation_limit out"));
  EXPECT_FALSE(fs::exists(path("s.jsonl")));
}

}  // namespace
}  // namespace yoke
