// `yoke forecast` and `yoke bench training` as a user or script runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using test::run_yoke;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kData = "glyphs:train=128,validation=16";

nlohmann::json last_json(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return nlohmann::json::parse(text.substr(text.rfind('\n') + 1));
}

class Predict : public testing::Test {
 protected:
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"predict", "--model",       "mlp",          "--data",
                                          kData,     "--batch-size",  "32",           "--seconds",
                                          "0.01",    "--calibration", file().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::filesystem::path file() const { return folder_.path() / "calibration.json"; }

  test::TemporaryDirectory folder_;
};

TEST_F(Predict, MeasuresOnceAndThenPredictsFromTheFile) {
  const auto first = run_yoke(words({"--hosts", "1,2,...,4096", "--json"}));
  ASSERT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("Measuring steps of 1 rank"));
  EXPECT_THAT(first.output, HasSubstr("Measuring sums over 2 ranks by gloo"));
  EXPECT_THAT(first.output, HasSubstr("Scaling "));
  EXPECT_THAT(first.output, HasSubstr("of the strategies that take the steps of one rank"));
  const auto json = last_json(first.output);
  const auto& rows = json.at("predictions");
  ASSERT_EQ(rows.size(), 13U);
  EXPECT_EQ(rows.back().at("hosts"), 4096);
  EXPECT_EQ(rows.front().at("speed_up"), 1);
  EXPECT_EQ(rows.front().at("bytes_per_step"), 0);
  for (const auto& row : rows) {
    const auto& seconds = row.at("epoch_seconds");
    EXPECT_LE(seconds.at("low"), seconds.at("typical"));
    EXPECT_LE(seconds.at("typical"), seconds.at("high"));
    EXPECT_GT(row.at("memory_per_host_bytes"), 1e6);
  }
  EXPECT_EQ(json.at("strategies").size(), 3U);

  // From now on from the file.
  const auto second = run_yoke(words({"--hosts", "1,8", "--link-gbps", "0.1", "--json"}));
  ASSERT_EQ(second.status, 0) << second.output;
  EXPECT_THAT(second.output, Not(HasSubstr("Measuring")));
  const auto again = last_json(second.output);
  EXPECT_EQ(again.at("calibration"), json.at("calibration"));
  EXPECT_EQ(again.at("predictions").front(), rows.front());

  // Not where the same name may mean other data, nor for other flags, but on another machine.
  EXPECT_EQ(nlohmann::json::parse(read_file(file())).at("versions").at("data in"),
            std::filesystem::weakly_canonical(std::filesystem::absolute("data")).string());
  const auto other = run_yoke(words({"--hosts", "1", "--optimizer", "adam"}));
  EXPECT_EQ(other.status, 2) << other.output;
  EXPECT_THAT(other.output, HasSubstr("does not fit: it was measured with --optimizer "
                                      "sgd:momentum=0.9, not adam"));
  auto moved = nlohmann::json::parse(read_file(file()));
  moved["host"] = "elsewhere";
  write_file(file(), moved.dump());
  const auto third = run_yoke(words({"--hosts", "1,2"}));
  ASSERT_EQ(third.status, 0) << third.output;
  EXPECT_THAT(third.output, HasSubstr("calibration  elsewhere, "));
  EXPECT_THAT(third.output, Not(HasSubstr("Measuring")));
}

TEST_F(Predict, MeasuresAgainWhereItsDataLieElsewhere) {
  const auto in = [&](const char* folder, const std::string& data_dir) {
    const auto result = test::run_program(
        {"env", "-C", folder, "XDG_CACHE_HOME=" + folder_.path().string(), YOKE_PROGRAM, "forecast",
         "--model", "mlp", "--data", kData, "--batch-size", "32", "--seconds", "0.01", "--hosts",
         "1", "--data-dir", data_dir});
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  };
  EXPECT_THAT(in("/", "data"), HasSubstr("Measuring"));
  EXPECT_THAT(in("/", "data"), Not(HasSubstr("Measuring")));
  EXPECT_THAT(in("/", "others"), HasSubstr("Measuring"));
  EXPECT_THAT(in("/usr", "data"), HasSubstr("Measuring"));
}

TEST_F(Predict, MeasuresRanksBesideEachOtherAndDrawsAGraph) {
  auto arguments = words({"--hosts", "1,2", "--ranks-per-host", "2", "--json"});
  const bool draws = test::run_program({"sh", "-c", "command -v gnuplot"}).status == 0;
  const auto graph = folder_.path() / "graph.svg";
  if (draws) arguments.insert(arguments.end(), {"--graph", graph.string()});
  const auto result = run_yoke(arguments);
  ASSERT_EQ(result.status, 0) << result.output;
  const auto rows = last_json(result.output).at("predictions");
  EXPECT_EQ(rows.back().at("ranks"), 4);
  EXPECT_EQ(rows.back().at("images_per_rank"), 8);
  EXPECT_GT(rows.back().at("bytes_per_step"), 0);
  if (!draws) GTEST_SKIP() << "gnuplot is missing: run scripts/install-dependencies";
  const auto text = read_file(graph);
  EXPECT_THAT(text, HasSubstr("seconds per epoch, failures included"));
  EXPECT_THAT(text, HasSubstr("mlp on glyphs"));
}

TEST_F(Predict, EndsWhereAStepWouldHaveMoreImagesThanThereAre) {
  const auto on = [&](const char* hosts) {
    return run_yoke({"forecast", "--model", "mlp", "--data", kData, "--batch-size-per-rank", "32",
                     "--seconds", "0.01", "--calibration", file().string(), "--hosts", hosts,
                     "--json"});
  };
  const auto cut = on("1,4,8,16");
  ASSERT_EQ(cut.status, 0) << cut.output;
  EXPECT_THAT(cut.output, HasSubstr("The table ends before 8 hosts: a step there would have 256 "
                                    "images, but the data set has 128, which"));
  EXPECT_EQ(last_json(cut.output).at("predictions").size(), 2U);
  const auto refused = on("8");
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("on 8 hosts a step has 256 images"));
  const auto one = on("1");
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_THAT(one.output, Not(HasSubstr("Scaling ")));
}

TEST_F(Predict, MeasuresTheSmallestShareToo) {
  const auto result = run_yoke(
      {"forecast", "--model", "mlp", "--data", "glyphs:train=256,validation=16", "--batch-size",
       "256", "--seconds", "0.01", "--calibration", file().string(), "--hosts", "1,128"});
  ASSERT_EQ(result.status, 0) << result.output;
  const auto kept = nlohmann::json::parse(read_file(file()));
  const auto& batches = kept.at("layouts").at(0).at("batches");
  ASSERT_EQ(batches.size(), 6U);
  EXPECT_EQ(batches.at(0).at("images"), 2);
  EXPECT_EQ(batches.at(1).at("images"), 4);
}

TEST_F(Predict, RefusesWrongUsageBeforeItMeasures) {
  const auto expect_refused = [&](const std::vector<std::string>& more, const std::string& text) {
    const auto result = run_yoke(words(more));
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(text));
    EXPECT_THAT(result.output, Not(HasSubstr("Measuring")));
  };
  expect_refused({"--hosts", "4,2"}, "--hosts is '4,2'; allowed: whole numbers");
  expect_refused({"--hosts", "1,2,"}, "--hosts is '1,2,'");
  expect_refused({"--hosts", "1,...,"}, "--hosts is '1,...,'");
  expect_refused({"--hosts", "0"}, "--hosts is '0'");
  for (const std::string slow : {"1x0.5", "1x2x3", "1xinf", "9999999999x2"}) {
    expect_refused({"--slow", slow}, "--slow is '" + slow + "'; allowed: COUNTxFACTOR");
  }
  expect_refused({"--strategy", "gossip"}, "allowed: allreduce, averaging");
  expect_refused({"--comm", "single"}, "no model of it; give auto");
  expect_refused({"--strategy", "hogwild"}, "--strategy hogwild shares one host's memory");
  expect_refused({"--optimizer", "lbfgs"}, "yoke forecast counts one exchange");
  expect_refused({"--strategy", "parameter-server", "--optimizer", "lars"},
                 "this optimizer needs sums over all parameters");
  expect_refused({"--strategy", "parameter-server", "--optimizer", "sgd:clip=1"},
                 "this optimizer needs sums over all parameters");
  expect_refused({"--device", "cuda"}, "give --device cpu");
  expect_refused({"--link-gbps", "0"}, "'0' is given; allowed: a number above 0");
  expect_refused({"--graph", "a.gif"}, "--graph is 'a.gif'; allowed: a file that ends in");
  const auto unknown = run_yoke(words({"--optimizer", "newton"}));  // told by what measures
  EXPECT_EQ(unknown.status, 2) << unknown.output;
  EXPECT_THAT(unknown.output, HasSubstr("yoke: unknown optimizer 'newton'; allowed: "));
  write_file(file(), "{}");
  expect_refused({}, "calibration.json holds no calibration");
}

TEST(PredictOfGrowingBatches, IsRefusedWithOneSizeToGive) {
  const auto result = run_yoke({"predict", "--data", kData, "--batch-size", "0:32,1:64"});
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, testing::HasSubstr("give one of them, by --batch-size 64"));
}

TEST(BenchTraining, PrintsATableAndOneJsonObject) {
  const auto result = run_yoke({"bench", "training", "--model", "mlp", "--data", kData, "--images",
                                "32,4", "--seconds", "0.01", "--threads", "1", "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("1 rank beside each other, 1 thread each"));
  const auto json = last_json(result.output);
  EXPECT_EQ(json.at("train_images"), 128);
  const auto& layout = json.at("layouts").at(0);
  EXPECT_EQ(layout.at("batches").at(0).at("images"), 4);
  EXPECT_EQ(layout.at("batches").at(1).at("images"), 32);
  for (const auto& batch : layout.at("batches")) {
    EXPECT_GE(batch.at("samples"), 5);
    EXPECT_LE(batch.at("lower_quartile_seconds"), batch.at("upper_quartile_seconds"));
    EXPECT_GT(batch.at("gradient_seconds"), 0);
  }
  for (const double ready : layout.at("ready")) {
    EXPECT_GT(ready, 0);
    EXPECT_LE(ready, 1);
  }
  EXPECT_GT(json.at("loader_images_per_second"), 0);
  EXPECT_GT(json.at("checkpoint").at("bytes"), 0);
}

TEST(BenchTraining, RefusesMoreImagesThanThereAre) {
  const auto result = run_yoke({"bench", "training", "--model", "mlp", "--data", kData, "--images",
                                "129", "--seconds", "0.01"});
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the data set has 128 training images"));
}

}  // namespace
}  // namespace yoke
