#include "apps/yoke/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/yoke/bench.h"
#include "apps/yoke/capture.h"
#include "yoke/comm/factory.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/recipe.h"
#include "yoke/core/files/temporary_folder.h"
#include "yoke/core/format.h"
#include "yoke/core/system/threads.h"
#include "yoke/forecast/calibration_file.h"
#include "yoke/launch/logs.h"
#include "yoke/report/machine/hardware.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

using forecast::Calibration;
using forecast::CommunicatorTimes;

/// What the first of `ranks` ranks of this program prints with `arguments`.
std::string run_ranks(int ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {own_program().string()};
  if (ranks == 1) {
    command.insert(command.end(), arguments.begin(), arguments.end());
    return capture(command);
  }
  const TemporaryFolder logs;
  const auto count = std::to_string(ranks);
  command.insert(command.end(),
                 {"run", "-np", count, as_flag(launch_flag::kLogDir), logs.path().string(), "--"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  capture(command);
  return read_file(launch::rank_folder(logs.path(), 0, 0) / launch::kOutFile);
}

/// The flags of a step alone, as a recipe that ranks read.
std::string step_recipe(const TrainConfig& config) {
  const auto names = flags_that_are(kStepCost);
  std::vector<RecipeEntry> chosen;
  for (const auto& entry : to_recipe(config)) {
    const bool wanted = std::find(names.begin(), names.end(), entry.key) != names.end();
    if (wanted && entry.key != flag::kBatchSize && entry.key != flag::kThreads)
      chosen.push_back(entry);
  }
  return recipe_text(chosen);
}

Calibration measure_layout(const CalibrationWanted& wanted, int ranks, int threads) {
  fmt::print(stderr, "Measuring steps of {} with {} each\n", format_count(ranks, "rank"),
             format_count(threads, "thread"));
  const TemporaryFolder folder;
  const auto recipe = folder.path() / "step.toml";
  write_file(recipe, step_recipe(wanted.config));
  const auto printed = run_ranks(
      ranks, {"bench", "training", as_flag(flag::kRecipe), recipe.string(), as_flag(flag::kThreads),
              std::to_string(threads), "--images", fmt::format("{}", fmt::join(wanted.images, ",")),
              "--seconds", fmt::format("{}", wanted.seconds), "--json"});
  return forecast::calibration_from_json(nlohmann::json::parse(last_line(printed)),
                                         "'yoke bench training'");
}

/// KiB of the largest sum to measure: a power of four, up to 64 MiB.
std::int64_t most_kib(const Calibration& calibration) {
  constexpr std::int64_t kLeast = 256, kMost = 65536;
  std::int64_t kib = kLeast;
  while (kib < kMost && kib * 1024 < calibration.parameter_count() * 4) kib *= 4;
  return kib;
}

CommunicatorTimes measure_communicator(const Calibration& calibration, const std::string& name,
                                       int ranks, double seconds) {
  fmt::print(stderr, "Measuring sums over {} ranks by {}\n", ranks, name);
  const std::vector<std::string> arguments = {"bench",      "allreduce",
                                              "--comm",     name,
                                              "--most-kib", std::to_string(most_kib(calibration)),
                                              "--seconds",  fmt::format("{}", seconds / 5),
                                              "--json"};
  std::string printed;
  if (name == "mpi") {  // which starts its own ranks
    std::vector<std::string> command = {own_program().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--ranks", std::to_string(ranks)});
    printed = capture(command);
  } else {
    printed = run_ranks(ranks, arguments);
  }
  CommunicatorTimes times{.name = name, .ranks = ranks, .points = {}, .least = {}};
  const std::string best = name == kSharedMemory ? in_place(name) : name;
  const auto json = nlohmann::json::parse(last_line(printed));
  for (const auto& row : json.at("allreduce")) {
    if (row.at("comm") != best) continue;
    times.points.emplace_back(row.at("bytes"), row.at("p50_ms").get<double>() / 1e3);
    times.least.emplace_back(row.at("bytes"), row.at("min_ms").get<double>() / 1e3);
  }
  return times;
}

bool has(const Calibration& calibration, const std::string& communicator) {
  return std::any_of(calibration.communicators.begin(), calibration.communicators.end(),
                     [&](const auto& times) { return times.name == communicator; });
}

}  // namespace

Calibration describe_calibration(const CalibrationWanted& wanted) {
  const auto names = flags_that_are(kStepCost, kMeasured);
  const Hardware machine = hardware();
  Calibration calibration;
  calibration.host = machine.host;
  calibration.cpu = machine.cpu;
  calibration.cores = cpu_budget().threads(1);
  calibration.versions = versions();
  for (const auto& entry : to_recipe(wanted.config)) {
    const bool counts = std::find(names.begin(), names.end(), entry.key) != names.end();
    if (counts && entry.key != flag::kDataDir) calibration.flags["--" + entry.key] = entry.value;
  }
  calibration.versions["data in"] =
      std::filesystem::weakly_canonical(std::filesystem::absolute(wanted.config.data_dir)).string();
  calibration.flags["images a rank"] = std::to_string(wanted.images.back());
  return calibration;
}

bool lacks(const Calibration& calibration, const CalibrationWanted& wanted) {
  return std::any_of(wanted.layouts.begin(), wanted.layouts.end(),
                     [&](const auto& layout) {
                       return calibration.find_layout(layout.first, layout.second) == nullptr;
                     }) ||
         std::any_of(wanted.communicators.begin(), wanted.communicators.end(),
                     [&](const auto& name) { return !has(calibration, name); });
}

void complete(Calibration& calibration, const CalibrationWanted& wanted) {
  for (const auto& [ranks, threads] : wanted.layouts) {
    if (calibration.find_layout(ranks, threads) != nullptr) continue;
    Calibration found = measure_layout(wanted, ranks, threads);
    calibration.layouts.push_back(std::move(found.layouts.front()));
    calibration.train_images = found.train_images;
    calibration.parameters = std::move(found.parameters);
    calibration.optimizer_state_bytes = found.optimizer_state_bytes;
    calibration.loader_images_per_second = found.loader_images_per_second;
    calibration.checkpoint = found.checkpoint;
  }
  for (const auto& name : wanted.communicators) {
    if (has(calibration, name)) continue;
    std::vector<int> ranks = {2};  // whose messages say what any number of ranks takes
    if (name == kSharedMemory && calibration.cores > 2) ranks.push_back(calibration.cores);
    for (const int count : ranks) {
      calibration.communicators.push_back(
          measure_communicator(calibration, name, count, wanted.seconds));
    }
  }
  calibration.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

}  // namespace yoke
