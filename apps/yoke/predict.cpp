// apps/yoke/predict.cpp: `yoke predict`, a training on more or other machines, from a calibration
// of this one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "apps/yoke/calibrate.h"
#include "apps/yoke/capture.h"
#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/predict_flags.h"
#include "apps/yoke/predict_output.h"
#include "apps/yoke/training_times.h"
#include "yoke/core/error.h"
#include "yoke/core/options.h"
#include "yoke/core/threads.h"
#include "yoke/predict/calibration_file.h"
#include "yoke/predict/exchange.h"
#include "yoke/predict/graph.h"
#include "yoke/predict/rank_step.h"
#include "yoke/predict/sentences.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using predict::Calibration;
using predict::Cluster;
using predict::Job;

/// A folder of this user for files that can be made again.
fs::path cache_folder() {
  const auto variables = whole_environment();
  const auto find = [&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  };
  if (const auto cache = find("XDG_CACHE_HOME"); !cache.empty()) return cache;
  if (const auto home = find("HOME"); !home.empty()) return fs::path(home) / ".cache";
  throw UsageError(
      "neither XDG_CACHE_HOME nor HOME is set, and so there is no place for the calibration; give "
      "--calibration FILE");
}

Job job_of(const TrainConfig& config) {
  validate(config);
  if (config.device == "cuda") {
    throw UsageError(
        "--device is 'cuda', but yoke predict has calibrated processors only; give --device cpu");
  }
  return {.batch_size =
              config.batch_size_per_rank.value_or(config.batch_size.value_or(kDefaultBatchSize)),
          .per_rank = config.batch_size_per_rank.has_value(),
          .strategy = predict::plan_strategy(config.strategy),
          .comm = predict::plan_communicator(config.comm)};
}

/// Those that most trainings use, and this job's.
std::vector<std::string> communicators_of(const Job& job) {
  std::vector<std::string> names = {"gloo", "shared-memory"};
  const auto& own = job.comm.between;
  if (std::find(names.begin(), names.end(), own) == names.end()) names.push_back(own);
  return names;
}

/// What the smallest cluster needs: larger ones have fewer images a rank.
CalibrationWanted wanted_of(const GivenPrediction& given, const TrainConfig& config, const Job& job,
                            const Cluster& cluster, int cores) {
  const std::int64_t workers = predict::count_workers(job.strategy, cluster);
  const std::int64_t most =
      job.per_rank ? job.batch_size : (job.batch_size + workers - 1) / workers;
  CalibrationWanted wanted{.config = config,
                           .images = images_to_measure(most),
                           .layouts = predict::needed_layouts(cores, cluster),
                           .communicators = communicators_of(job),
                           .seconds = given.seconds};
  wanted.config.device = "cpu";
  return wanted;
}

/// From the file or the cache, or measured now and kept there.
Calibration calibrated(const GivenPrediction& given, const TrainConfig& config, const Job& job,
                       const std::vector<std::int64_t>& hosts) {
  const int cores = cpu_budget().threads(1);
  Cluster cluster = cluster_of(given, cores);
  for (const std::int64_t count : {hosts.back(), hosts.front()}) {  // refused before measuring
    cluster.hosts = count;
    predict::check(job, cluster);
  }
  const auto wanted = wanted_of(given, config, job, cluster, cores);
  const Calibration empty = describe_calibration(wanted);
  const bool named = !given.calibration.empty();
  const fs::path path =
      named ? fs::path(given.calibration) : predict::cached_path(cache_folder(), empty);
  auto kept = given.calibrate ? std::nullopt : predict::read_calibration(path);
  if (kept) {
    const auto why = predict::why_not_same(*kept, empty, /*any_machine=*/named);
    if (!why.empty()) {
      throw UsageError(fmt::format(
          "{} does not fit: {}; give another --calibration, or --calibrate to measure again",
          path.string(), why));
    }
  }
  Calibration calibration = kept.value_or(empty);
  const bool here = predict::why_not_same(calibration, empty, /*any_machine=*/false).empty();
  if (here && lacks(calibration, wanted)) {
    complete(calibration, wanted);
    predict::write_calibration(path, calibration);
  }
  fmt::print("calibration  {}, {}, {} cores; measured {}; {}\n", calibration.host, calibration.cpu,
             calibration.cores, calibration.date, path.string());
  return calibration;
}

void draw(const std::vector<predict::Prediction>& rows, const std::string& title,
          const std::string& file) {
  const auto script = predict::graph_script(rows, title, file);
  try {
    capture({"gnuplot"}, script);
  } catch (const UsageError&) {
    throw UsageError(
        "--graph needs gnuplot, which is not in PATH; install the package gnuplot-nox");
  }
  fmt::print("graph        {}\n", file);
}

int predict_command(const GivenPrediction& given) {
  const auto hosts = parse_hosts(given.hosts);
  const TrainConfig config = resolve(given.config);
  const Job job = job_of(config);
  if (!given.graph.empty()) predict::graph_terminal(given.graph);  // refused before measuring
  const Calibration calibration = calibrated(given, config, job, hosts);
  Cluster cluster = cluster_of(given, calibration.cores);
  const std::string title =
      fmt::format("{} on {}, {} images a step{}, {}", config.model, config.data, job.batch_size,
                  job.per_rank ? " and rank" : "", job.strategy.text);
  fmt::print("training     {}\nhosts        {} rank{} on {:g} cores each; {:g} Gbit/s, {:g} us\n\n",
             title, given.ranks_per_host, given.ranks_per_host == 1 ? "" : "s",
             cluster.cores_per_host, given.link_gbps, given.latency_us);
  std::vector<predict::Prediction> rows;
  for (const std::int64_t count : hosts) {
    cluster.hosts = count;
    rows.push_back(predict::predict(calibration, job, cluster));
  }
  const auto end = predict::find_end(calibration, job, cluster, hosts.front(), hosts.back());
  cluster.hosts = end ? end->hosts : hosts.back();
  const auto choices = predict::compare_strategies(calibration, job, cluster);
  fmt::print("{}\n{}\n{}\n", prediction_table(rows), predict::say_end(end, hosts.back()),
             predict::say_best(choices));
  if (!given.graph.empty()) draw(rows, title, given.graph);
  if (given.json) {
    const nlohmann::ordered_json json = {
        {"calibration", {{"host", calibration.host}, {"date", calibration.date}}},
        {"predictions", to_json(rows)},
        {"scaling_end", to_json(end)},
        {"strategies", to_json(choices)}};
    fmt::print("{}\n", json.dump());
  }
  return 0;
}

}  // namespace

void add_predict_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand(
      "predict", "Predict time, speed-up and efficiency of a training on more or other machines");
  const auto given = std::make_shared<GivenPrediction>();
  add_predict_flags(*command, *given);
  command->callback([given, &run] { run = [given] { return predict_command(*given); }; });
}

}  // namespace yoke
