// tests/train/run.h: short runs for the tests of training.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/core/named_tensors.h"
#include "yoke/train/train.h"

namespace yoke::test {

/// 512 glyphs in 16 steps of 100 images, the last of each epoch smaller: a second or two.
inline TrainConfig small_run(const std::filesystem::path& out, const std::string& model = "mlp") {
  TrainConfig config;
  config.model = model;
  config.data = "glyphs:train=512,validation=130";
  config.epochs = 3;
  config.batch_size = 100;
  config.optimizer = "adam";
  config.lr = 1e-3;
  config.out = out;
  config.threads = 1;
  config.print_every = 4;
  config.resources = false;
  config.tensorboard = false;
  return config;
}

/// A run that begins with these weights and does not move.
inline TrainConfig still_run(const std::filesystem::path& out,
                             const std::filesystem::path& weights) {
  TrainConfig config = small_run(out);
  config.weights = weights;
  config.optimizer = "sgd";
  config.lr = 0;
  config.epochs = 1;
  return config;
}

/// What is shown by a run, in the attempt after `restarts` others.
inline std::string shown_by(const TrainConfig& config, int restarts = 0) {
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  context.world.restarted = restarts > 0;
  train(config, {}, context);
  return shown.str();
}

/// The words of `yoke train` into `out`, without what few tests look at; `flags` are separated by
/// spaces.
inline std::vector<std::string> train_words(const std::filesystem::path& out,
                                            const std::string& flags) {
  std::vector<std::string> words = {"train",       "--out", out.string(), "--tensorboard", "off",
                                    "--resources", "off",   "--progress", "none"};
  std::istringstream rest(flags);
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

/// Runs `yoke` once per rank; each must succeed.
inline void run_ranks_well(int ranks, const std::vector<std::string>& words) {
  for (const auto& result : run_yoke_ranks(ranks, words)) {
    ASSERT_EQ(result.status, 0) << result.output;
  }
}

/// The summary.json of a run.
inline nlohmann::json summary(const std::filesystem::path& run) {
  return nlohmann::json::parse(read_file(run / "summary.json"));
}

/// The reports of a run without what differs between equal runs: times and rates.
inline std::vector<nlohmann::json> reports(const std::filesystem::path& run) {
  std::istringstream lines(read_file(run / "metrics.jsonl"));
  std::vector<nlohmann::json> reports;
  for (std::string line; std::getline(lines, line);) {
    auto report = nlohmann::json::parse(line);
    for (const char* timed : {"seconds", "images_per_second", "data_wait_seconds",
                              "compute_seconds", "communication_seconds", "communication_bytes"}) {
      report.erase(timed);
    }
    reports.push_back(report);
  }
  return reports;
}

/// The reports of training steps; a run that was interrupted evaluates once more.
inline std::vector<nlohmann::json> step_reports(const std::filesystem::path& run) {
  auto all = reports(run);
  std::erase_if(all, [](const auto& report) { return report.at("split") != "train"; });
  return all;
}

/// The same names with tensors of the same types and values, in the same order.
inline void expect_equal(const NamedTensors& found, const NamedTensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first, expected[i].first);
    EXPECT_EQ(found[i].second.scalar_type(), expected[i].second.scalar_type());
    EXPECT_TRUE(torch::equal(found[i].second, expected[i].second)) << found[i].first;
  }
}

/// Reports and weights of two runs are the same but for rounding.
inline void expect_equal_runs(const std::filesystem::path& one, const std::filesystem::path& many) {
  const auto expected = reports(one), found = reports(many);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(expected[i].at("loss").get<double>(), found[i].at("loss").get<double>(), 1e-4) << i;
    EXPECT_EQ(expected[i].at("step"), found[i].at("step"));
    EXPECT_NEAR(expected[i].at("top1").get<double>(), found[i].at("top1").get<double>(), 0.02);
  }
  const auto a = read_safetensors(one / "model.safetensors");
  const auto b = read_safetensors(many / "model.safetensors");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(torch::allclose(a[i].second, b[i].second, 1e-3, 1e-5)) << a[i].first;
  }
}

}  // namespace yoke::test
