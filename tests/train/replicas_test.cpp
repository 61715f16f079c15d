// tests/train/replicas_test.cpp: runs with replicas of the eager engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

using Flags = std::map<std::string, std::string>;

/// 6 steps over 250 glyphs, the last of each epoch 50 images, but for what `flags` say.
std::vector<std::string> arguments(const std::filesystem::path& out, const std::string& replicas,
                                   const Flags& flags = {}) {
  Flags all = {{"--engine", "eager"},
               {"--replicas", replicas},
               {"--data", "glyphs:train=250,validation=53"},
               {"--epochs", "2"},
               {"--batch-size", "100"},
               {"--lr", "0.01"},
               {"--out", out.string()},
               {"--threads", "1"},
               {"--print-every", "1"},
               {"--tensorboard", "off"},
               {"--progress", "lines"}};
  for (const auto& [flag, value] : flags) all[flag] = value;
  std::vector<std::string> words = {"train"};
  for (const auto& [flag, value] : all) words.insert(words.end(), {flag, value});
  return words;
}

void expect_success(const std::vector<ProgramResult>& results) {
  for (const auto& result : results) ASSERT_EQ(result.status, 0) << result.output;
}

TEST(Replicas, TrainAsOneDoes) {
  const TemporaryDirectory directory;
  const auto one = directory.path() / "one";
  const Flags more = {
      {"--model", "lab-cnn"}, {"--label-smoothing", "0.1"}, {"--mixup", "0.2"}, {"--cutmix", "1"}};
  expect_success({run_yoke(arguments(one, "1", more))});
  for (const char* const replicas : {"2", "3"}) {
    const auto many = directory.path() / replicas;
    const auto result = run_yoke(arguments(many, replicas, more));
    expect_success({result});
    EXPECT_THAT(result.output, HasSubstr(fmt::format("eager, fp32, {} replicas", replicas)));
    expect_equal_runs(one, many);
    const auto summary = nlohmann::json::parse(read_file(many / "summary.json"));
    EXPECT_EQ(summary.at("replicas").get<int>(), std::stoi(replicas));
    EXPECT_EQ(summary.at("engine"), "eager");
  }
}

TEST(Replicas, TrainAsOneDoesInsideEachRank) {
  const TemporaryDirectory directory;
  const auto one = directory.path() / "one", many = directory.path() / "many";
  const Flags more = {
      {"--model", "lab-cnn"},
      {"--batch-size", "83"},
      {"--strategy", "allreduce:check_every=1,first_bucket_mib=0.1,bucket_mib=0.1,accumulate=2"}};
  expect_success(run_yoke_ranks(2, arguments(one, "1", more)));
  expect_success(run_yoke_ranks(2, arguments(many, "2", more)));
  expect_equal_runs(one, many);
}

TEST(Replicas, SearchTheSameLine) {
  const TemporaryDirectory directory;
  const auto one = directory.path() / "one", many = directory.path() / "many";
  const Flags more = {{"--model", "lenet"},
                      {"--optimizer", "lbfgs:max_iter=4"},
                      {"--batch-size", "250"},
                      {"--lr", "1"}};
  expect_success({run_yoke(arguments(one, "1", more)), run_yoke(arguments(many, "2", more))});
  const auto expected = reports(one), found = reports(many);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Sums in another order lead the search a little elsewhere.
    const double loss = expected[i].at("loss");
    EXPECT_NEAR(found[i].at("loss").get<double>(), loss, 2e-3 * loss) << i;
  }
  EXPECT_LT(found.back().at("loss").get<double>(), 0.9 * found.front().at("loss").get<double>());
}

TEST(Replicas, GoOnExactlyFromACheckpoint) {
  const TemporaryDirectory directory;
  const auto whole = directory.path() / "whole", part = directory.path() / "part";
  const auto run = [](const std::filesystem::path& out, const std::string& steps, Flags flags) {
    flags.merge(Flags{{"--model", "resnet18"},
                      {"--data", "glyphs:train=60,validation=5"},
                      {"--batch-size", "5"},
                      {"--max-steps", steps},
                      {"--checkpoint-every", "1steps"}});
    return run_yoke(arguments(out, "2", flags));
  };
  expect_success({run(whole, "3", {}), run(part, "2", {}), run(part, "3", {{"--resume", "auto"}})});
  const auto a = read_safetensors(whole / "model.safetensors");
  const auto b = read_safetensors(part / "model.safetensors");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].second.equal(b[i].second));
  EXPECT_EQ(reports(whole).back().at("loss"), reports(part).back().at("loss"));
}

TEST(Replicas, AreRefusedWithTheReason) {
  const TemporaryDirectory directory;
  const auto out = directory.path() / "run";
  const auto refused = [&](const Flags& more) {
    const auto result = run_yoke(arguments(out, "2", more));
    EXPECT_EQ(result.status, 2);
    EXPECT_FALSE(std::filesystem::exists(out));
    return result.output;
  };
  EXPECT_THAT(refused({{"--strategy", "allreduce:sync_batchnorm=true"}}),
              HasSubstr("sync_batchnorm=true give --replicas 1"));
  EXPECT_THAT(refused({{"--precision", "bf16"}}), HasSubstr("the eager engine computes in fp32"));
  EXPECT_THAT(refused({{"--replicas", "1025"}}), HasSubstr("from 0 to 1024"));
}

}  // namespace
}  // namespace yoke::test
