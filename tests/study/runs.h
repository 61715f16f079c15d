// tests/study/runs.h: run directories as files, without training.
#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/files/file.h"

namespace yoke::test {

/// What a made-up run was given and came to.
struct MadeRun {
  int ranks = 1;
  int batch_size = 100;
  int seed = 1;
  double train_seconds = 10;
  double top1 = 0.9;
  std::string status = "completed";
  std::string strategy = "allreduce";
  bool confident = false;  ///< Tells how sure it is of images, as runs of older versions do not.
  std::vector<double> rank_top1 = {};         ///< Of each rank by itself; empty: not measured.
  std::optional<double> target = {};          ///< Accuracy.
  std::optional<double> target_seconds = {};  ///< Until it was reached.
};

inline nlohmann::json summary_of(const MadeRun& run) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"status", run.status},
          {"target_accuracy", or_null(run.target)},
          {"time_to_target_seconds", or_null(run.target_seconds)},
          {"model", "lab-cnn"},
          {"data", "glyphs"},
          {"engine", "compiled"},
          {"device", "cpu"},
          {"world_size", run.ranks},
          {"batch_size", run.batch_size},
          {"steps", 40},
          {"epochs", 2.0},
          {"train_seconds", run.train_seconds},
          {"data_wait_seconds", 0.1},
          {"evaluate_seconds", 0.5},
          {"checkpoint_seconds", 0.0},
          {"wall_seconds", run.train_seconds + 1},
          {"images_per_second", 4000 / run.train_seconds},
          {"val_top1", run.top1},
          {"val_loss", 1 - run.top1},
          {"classes", {"one & only", "<two>", "three_3"}},
          {"per_class_accuracy", {0.9, 0.8, nullptr}},
          {"confusion", {{90, 10, 0}, {15, 80, 5}, {0, 0, 0}}},
          {"hardware", {{"cpu", "Test CPU"}, {"cores", 4}}},
          {"versions", {{"yoke", "0.1.0"}}},
          {"command", "yoke train --model lab-cnn"}};
}

/// Of 200 images, of which the network is surer than it is right.
inline void add_confidence(nlohmann::json& summary) {
  summary["val_balanced_accuracy"] = 0.85;
  summary["val_macro_f1"] = 0.84;
  summary["val_ece"] = 0.075;
  summary["confidence_bins"] = {{{"images", 0}, {"confidence", nullptr}, {"accuracy", nullptr}},
                                {{"images", 50}, {"confidence", 0.5}, {"accuracy", 0.5}},
                                {{"images", 150}, {"confidence", 0.9}, {"accuracy", 0.8}}};
}

/// Writes the files of a run of two epochs, with an evaluation after each.
inline void make_run(const std::filesystem::path& path, const MadeRun& run = {}) {
  std::filesystem::create_directories(path);
  write_file(path / "config.toml",
             fmt::format("model = 'lab-cnn'\ndata = 'glyphs'\nbatch-size = {}\nseed = {}\n"
                         "strategy = '{}'\n",
                         run.batch_size, run.seed, run.strategy));
  std::string metrics, resources =
                           "seconds,rank,cpu_percent,rss_bytes,disk_read_bytes,disk_write_bytes,"
                           "network_receive_bytes,network_send_bytes\n";
  for (int i = 1; i <= 4; ++i) {
    const double seconds = 0.5 + i * run.train_seconds / 4;
    nlohmann::json report = {{"step", 10 * i},
                             {"epoch", 0.5 * i},
                             {"seconds", seconds},
                             {"split", "train"},
                             {"loss", 2.0 / i},
                             {"top1", 0.2 * i},
                             {"top5", 0.24 * i},
                             {"lr", 0.1},
                             {"images_per_second", 400},
                             {"data_wait_seconds", 0.025},
                             {"compute_seconds", run.train_seconds / 4 - 0.125},
                             {"communication_seconds", 0.1}};
    metrics += report.dump() + "\n";
    if (i % 2 == 0) {
      report["split"] = "val";
      if (!run.rank_top1.empty()) report["rank_top1"] = run.rank_top1;
      metrics += report.dump() + "\n";
    }
    for (int rank = 0; rank < run.ranks; ++rank) {
      resources += fmt::format("{},{},{},{},0,{},{},{}\n", seconds, rank, 90 + rank, 200000000 + i,
                               1000 * i, 5000 * i, 4000 * i);
    }
  }
  write_file(path / "metrics.jsonl", metrics);
  write_file(path / "resources.csv", resources);
  write_file(path / "phases.csv",
             "seconds,phase\n0.000,loading\n0.500,training\n5.000,evaluating\n5.200,training\n"
             "10.000,evaluating\n10.200,ended\n");
  if (run.status.empty()) return;
  auto summary = summary_of(run);
  if (run.confident) add_confidence(summary);
  if (!run.rank_top1.empty()) summary["rank_val_top1"] = {{"mean", run.rank_top1.front()}};
  write_file(path / "summary.json", summary.dump());
}

}  // namespace yoke::test
