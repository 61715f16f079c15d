#include "tests/cluster/training.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "yoke/core/files/safetensors.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

constexpr int kImages = 600, kStepsPerEpoch = 10;

/// As far as it can be read: a process of /proc may end meanwhile.
std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // keeps what its buffer throws to itself
  return text.str();
}

/// The value of a variable in /proc/PID/environ; empty where it is not.
std::string variable(const std::string& environment, const std::string& name) {
  const std::string whole = '\0' + environment, entry = '\0' + name + '=';
  const auto found = whole.find(entry);
  if (found == std::string::npos) return {};
  const auto begin = found + entry.size();
  return whole.substr(begin, whole.find('\0', begin) - begin);
}

int parent_of(int pid) {
  const std::string status = contents(fmt::format("/proc/{}/status", pid));
  const std::string key = "\nPPid:";
  const auto found = status.find(key);
  return found == std::string::npos ? 0 : std::stoi(status.substr(found + key.size()));
}

}  // namespace

std::string training(const fs::path& out, int epochs, const std::string& more) {
  return fmt::format(
      "train --model lab-cnn --engine compiled --data glyphs:train={},validation=200 --batch-size "
      "{} --epochs {} --optimizer sgd --threads 1 --print-every 1 --progress none --tensorboard "
      "off "
      "--resources off --out {} {}",
      kImages, kImages / kStepsPerEpoch, epochs, out.string(), more);
}

std::vector<std::string> yoke_in(const fs::path& folder, const std::string& arguments,
                                 const std::string& tools) {
  return {"env",
          "HOME=" + folder.string(),
          "XDG_RUNTIME_DIR=",
          "YOKE_TEST_RUN=" + folder.string(),
          "sh",
          "-c",
          fmt::format("cd {} && PATH={}:$PATH exec {} {}", folder.string(), tools, YOKE_PROGRAM,
                      arguments)};
}

std::vector<std::string> limited(int seconds, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"timeout", "--kill-after=5", std::to_string(seconds)});
  return arguments;
}

std::vector<RankProcess> rank_processes(const fs::path& folder) {
  std::vector<RankProcess> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string environment = contents(entry.path() / "environ");
    if (variable(environment, "YOKE_TEST_RUN") != folder.string()) continue;
    const std::string rank = variable(environment, "RANK");
    if (rank.empty()) continue;
    found.push_back({.rank = std::stoi(rank),
                     .ranks = std::stoi(variable(environment, "WORLD_SIZE")),
                     .pid = pid,
                     .parent = parent_of(pid)});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return found;
}

bool alive(const std::vector<RankProcess>& processes) {
  return std::any_of(processes.begin(), processes.end(),
                     [](const auto& process) { return ::kill(process.pid, 0) == 0; });
}

std::int64_t steps_reported(const fs::path& run) {
  const std::string text = contents(run / "metrics.jsonl");
  const auto end = text.rfind('\n');  // what follows is not written yet
  if (end == std::string::npos) return 0;
  const auto before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return nlohmann::json::parse(text.substr(begin, end - begin)).at("step");
}

void expect_whole(const fs::path& run, int epochs, int ranks) {
  const auto json = summary(run);
  EXPECT_EQ(json.at("status"), "completed");
  EXPECT_EQ(json.at("world_size"), ranks);
  EXPECT_EQ(json.at("images_seen"), kImages * epochs);
  std::int64_t next = 1;
  for (const auto& report : reports(run)) {
    if (report.at("split") == "train") {
      EXPECT_EQ(report.at("step"), next++);
    } else {
      EXPECT_EQ(report.at("step"), kStepsPerEpoch * report.at("epoch").get<double>());
    }
  }
  EXPECT_EQ(next, kStepsPerEpoch * epochs + 1);
}

void expect_same_runs(const fs::path& expected, const fs::path& found) {
  EXPECT_EQ(reports(expected), reports(found));
  EXPECT_TRUE(contents(expected / "model.safetensors") == contents(found / "model.safetensors"));
  for (const char* const key : {"val_top1", "val_loss", "final_train_loss", "images_seen"}) {
    EXPECT_EQ(summary(expected).at(key), summary(found).at(key)) << key;
  }
}

void expect_close_runs(const fs::path& expected, const fs::path& found) {
  const auto a = reports(expected), b = reports(found);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].at("step"), b[i].at("step"));
    EXPECT_NEAR(a[i].at("loss").get<double>(), b[i].at("loss").get<double>(), 1e-3) << i;
  }
  const auto weights = read_safetensors(expected / "model.safetensors");
  const auto others = read_safetensors(found / "model.safetensors");
  ASSERT_EQ(weights.size(), others.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(torch::allclose(weights[i].second, others[i].second, 1e-2, 1e-4))
        << weights[i].first << " differs by "
        << (weights[i].second - others[i].second).abs().max().item<double>();
  }
}

}  // namespace yoke::test
