// `yoke bench` as a user or script runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/data/image_files.h"
#include "tests/support/gpus.h"
#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke {
namespace {

using test::last_line;
using test::run_yoke;
using testing::HasSubstr;

TEST(BenchStep, PrintsItsSamplesAndOneJsonObject) {
  const auto result = run_yoke({"bench", "step", "--model", "lenet", "--batch-size", "8",
                                "--replicas", "2", "--seconds", "0.01", "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("compiled, fp32, 2 replicas"));
  const auto json = nlohmann::json::parse(last_line(result.output));
  EXPECT_EQ(json.at("model"), "lenet");
  EXPECT_EQ(json.at("engine"), "compiled");
  EXPECT_EQ(json.at("batch_size"), 8);
  EXPECT_EQ(json.at("device"), "cpu");
  EXPECT_EQ(json.at("tf32"), "auto");
  EXPECT_GE(json.at("samples"), 5);
  EXPECT_LE(json.at("min_ms"), json.at("p50_ms"));
  EXPECT_LE(json.at("p50_ms"), json.at("p99_ms"));
  EXPECT_LE(json.at("p99_ms"), json.at("max_ms"));
  EXPECT_NEAR(json.at("images_per_second").get<double>(), 8e3 / json.at("p50_ms").get<double>(),
              1e-3);
  EXPECT_GT(json.at("peak_flops_per_second"), 0);
}

TEST(BenchStep, TellsOfEachLayerAndOfPrimitivesAlone) {
  const auto result = run_yoke({"bench", "step", "--model", "lenet", "--batch-size", "4",
                                "--seconds", "0.01", "--layers", "--primitives"});
  ASSERT_EQ(result.status, 0) << result.output;
  for (const char* const text : {"conv2", "weight gradient", "max pool", "primitives alone"}) {
    EXPECT_THAT(result.output, HasSubstr(text));
  }
}

TEST(BenchStep, MeasuresTheEagerEngine) {
  const auto result = run_yoke({"bench", "step", "--model", "mlp", "--image", "2x5x3",
                                "--batch-size", "4", "--engine", "eager", "--seconds", "0.01"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("eager, fp32"));
  EXPECT_THAT(result.output, HasSubstr("2x5x3 images"));
}

TEST(BenchStep, MeasuresOnAGpuWithAndWithoutAGraph) {
  YOKE_NEEDS_GPUS(1);
  for (const char* const precision : {"fp32", "bf16", "o1", "o2"}) {
    std::vector<std::string> words = {"bench", "step",    "--model", "lab-cnn",     "--device",
                                      "cuda",  "--tf32",  "off",     "--json",      "--seconds",
                                      "0.01",  "--image", "1x32x32", "--precision", precision};
    for (const bool graph : {false, true}) {
      if (graph) words.emplace_back("--cuda-graph");
      const auto result = run_yoke(words);
      ASSERT_EQ(result.status, 0) << result.output;
      const auto json = nlohmann::json::parse(last_line(result.output));
      EXPECT_EQ(json.at("device"), "cuda");
      EXPECT_EQ(json.at("cuda_graph"), graph);
      EXPECT_GT(json.at("images_per_second"), 0);
    }
  }
}

TEST(BenchStep, RefusesWrongUsage) {
  const auto expect_refused = [](const std::vector<std::string>& flags, const char* text) {
    std::vector<std::string> arguments{"bench", "step"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = run_yoke(arguments);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(text));
  };
  expect_refused({"--image", "3x32"}, "3x32x32");
  expect_refused({"--replicas", "-1"}, "--replicas: '-1' is given; allowed: a number from 0 on");
  expect_refused({"--micro-batch", "x"}, "'x' is given; allowed: a number from 0 on");
  expect_refused({"--seconds", "0"}, "'0' is given; allowed: a number above 0");
  expect_refused({"--engine", "fast"}, "allowed: auto, eager, compiled");
  expect_refused({"--precision", "fp8"}, "allowed: fp32, bf16");
  expect_refused({"--engine", "eager", "--layers"}, "compiled engine");
  expect_refused({"--device", "tpu"}, "allowed: cpu, cuda");
  expect_refused({"--tf32", "maybe"}, "allowed: auto, on, off");
  expect_refused({"--cuda-graph"}, "--cuda-graph off, or --device cuda");
  expect_refused({"--engine", "eager", "--precision", "bf16"}, "--engine compiled");
}

TEST(BenchLoader, PrintsItsSamplesAndOneJsonObject) {
  const auto result =
      run_yoke({"bench", "loader", "--data", "glyphs:train=70,validation=10,crop=2", "--batch-size",
                "16", "--loader-threads", "2", "--seconds", "0.01", "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("glyphs, 70 training images"));
  const auto json = nlohmann::json::parse(last_line(result.output));
  EXPECT_EQ(json.at("images"), 70);
  EXPECT_EQ(json.at("batch_size"), 16);
  EXPECT_EQ(json.at("loader_threads"), 2);
  EXPECT_GE(json.at("samples"), 5);
  EXPECT_LE(json.at("min_ms"), json.at("p50_ms"));
  EXPECT_GT(json.at("images_per_second"), 0);
}

TEST(BenchClassify, MeasuresDecodingScoringAndBoth) {
  const test::TemporaryDirectory directory;
  const auto photos = directory.path() / "photos", run = directory.path() / "run";
  for (const char* const label : {"a", "b"}) {
    std::filesystem::create_directories(photos / label);
    for (int i = 0; i < 10; ++i) {
      write_file(photos / label / fmt::format("{}.jpg", i),
                 test::jpeg_file(test::picture(40, 40 + i)));
    }
  }
  auto words = test::train_words(run, "--model lenet --threads 1 --max-steps 1 --batch-size 8");
  words.insert(words.begin() + 1, photos.string());
  ASSERT_EQ(run_yoke(words).status, 0);
  const auto result = run_yoke({"bench", "classify", run.string(), photos.string(), "--threads",
                                "2", "--batch-size", "8", "--seconds", "0.01", "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              testing::AllOf(HasSubstr("photos  20, batch 8, 2 threads, 1 to decode"),
                             HasSubstr("% of the slower")));
  const auto json = nlohmann::json::parse(last_line(result.output));
  for (const char* const rate :
       {"decode_images_per_second", "score_images_per_second", "images_per_second"}) {
    EXPECT_GT(json.at(rate), 0) << rate;
  }
  EXPECT_GE(json.at("rounds"), 5);
  const auto nothing = run_yoke({"bench", "classify", run.string(), "/nowhere"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.output, HasSubstr("there is no /nowhere"));
}

TEST(BenchLoader, RefusesWrongUsage) {
  const auto threads = run_yoke({"bench", "loader", "--loader-threads", "0"});
  EXPECT_EQ(threads.status, 2);
  EXPECT_THAT(threads.output, HasSubstr("--loader-threads: '0' is given; allowed"));
  const auto batch = run_yoke(
      {"bench", "loader", "--data", "glyphs:train=10,validation=10", "--batch-size", "11"});
  EXPECT_EQ(batch.status, 2) << batch.output;
  EXPECT_THAT(batch.output, HasSubstr("11"));
}

}  // namespace
}  // namespace yoke
