// apps/yoke/forecast.cpp: `yoke forecast`, a training on more or other machines, from a calibration
// of this one.
#include <fmt/format.h>

#include <memory>

#include "apps/yoke/capture.h"
#include "apps/yoke/commands.h"
#include "apps/yoke/forecast_flags.h"
#include "apps/yoke/forecast_output.h"
#include "apps/yoke/kept_calibration.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/forecast/graph.h"
#include "yoke/forecast/sentences.h"
#include "yoke/optim/optimizer.h"
#include "yoke/parallel/strategy.h"
#include "yoke/train/run_length.h"

namespace yoke {
namespace {

using forecast::Calibration;
using forecast::Cluster;
using forecast::Job;

/// Whether its optimizer moves a part of the parameters by itself. @throws UsageError for one whose
/// steps have no model.
bool splits(const std::string& optimizer) {
  const auto traits = optimizers().choose(optimizer).traits;
  if (!traits.first_order) {
    throw UsageError(fmt::format(
        "--optimizer is '{}', which exchanges gradients as often in a step as its line search asks "
        "for, but yoke forecast counts one exchange; give another optimizer, e.g. sgd or adam",
        optimizer));
  }
  return traits.elementwise;
}

Job job_of(const TrainConfig& config) {
  validate(config);
  if (config.device == DeviceKind::kCuda) {
    throw UsageError(
        "--device is 'cuda', but yoke forecast has calibrated processors only; give --device cpu");
  }
  if (config.batch_size.stages().size() > 1) {
    throw UsageError(
        fmt::format("--batch-size is '{}', but yoke forecast takes steps of one size; give one of "
                    "them, by --batch-size {}",
                    config.batch_size.str(), config.batch_size.last()));
  }
  return {.batch_size = config.batch_size_per_rank.value_or(global_batch_sizes(config, 1).last()),
          .per_rank = config.batch_size_per_rank.has_value(),
          .strategy = plan_strategy(config.strategy),
          .comm = plan_communicator(config.comm),
          .splits = splits(config.optimizer)};
}

/// Each as its options are where none is given.
std::vector<forecast::StrategyPlan> all_strategies() {
  std::vector<forecast::StrategyPlan> plans;
  for (const auto& entry : strategies().entries()) {
    if (strategies().choose(entry.name).traits.plan) plans.push_back(plan_strategy(entry.name));
  }
  return plans;
}

void draw(const std::vector<forecast::Prediction>& rows, const std::string& title,
          const std::string& file) {
  const auto script = forecast::graph_script(rows, title, file);
  try {
    capture({"gnuplot"}, script);
  } catch (const UsageError&) {
    throw UsageError(
        "--graph needs gnuplot, which is not in PATH; install the package gnuplot-nox");
  }
  fmt::print("graph        {}\n", file);
}

/// Up to the first number of hosts that would have more images in a step than there are.
std::vector<forecast::Prediction> predict_rows(const Calibration& calibration, const Job& job,
                                               Cluster cluster,
                                               const std::vector<std::int64_t>& hosts) {
  std::vector<forecast::Prediction> rows;
  for (const std::int64_t count : hosts) {
    cluster.hosts = count;
    const bool fits = forecast::global_batch_size(job, cluster) <= calibration.train_images;
    if (!fits && !rows.empty()) break;
    rows.push_back(forecast::predict(calibration, job, cluster));
  }
  return rows;
}

/// What the table leaves out of `hosts` after so many `rows`; empty where it has all.
std::string say_left_out(const Calibration& calibration, const Job& job, Cluster cluster,
                         const std::vector<std::int64_t>& hosts, std::size_t rows) {
  if (rows == hosts.size()) return {};
  cluster.hosts = hosts[rows];
  return forecast::say_cut(cluster.hosts, forecast::global_batch_size(job, cluster),
                           calibration.train_images);
}

/// Those that say something, each on its line.
void print_sentences(const std::vector<std::string>& sentences) {
  for (const auto& sentence : sentences) {
    if (!sentence.empty()) fmt::print("{}\n", sentence);
  }
}

int predict_command(const GivenPrediction& given) {
  const auto hosts = parse_hosts(given.hosts);
  const TrainConfig config = resolve(given.config);
  const Job job = job_of(config);
  if (!given.graph.empty()) forecast::graph_terminal(given.graph);  // refused before measuring
  const Calibration calibration = calibrated(given, config, job, hosts);
  Cluster cluster = cluster_of(given, calibration.cores);
  const std::string title =
      fmt::format("{} on {}, {} images a step{}, {}", config.model, config.data, job.batch_size,
                  job.per_rank ? " and rank" : "", job.strategy.text);
  fmt::print("training     {}\nhosts        {} on {:g} cores each; {:g} Gbit/s, {:g} us\n\n", title,
             format_count(given.ranks_per_host, "rank"), cluster.cores_per_host, given.link_gbps,
             given.latency_us);
  const auto rows = predict_rows(calibration, job, cluster, hosts);
  const std::int64_t first = hosts.front(), last = rows.back().hosts;
  const auto end = forecast::find_end(calibration, job, cluster, first, last);
  cluster.hosts = end ? end->hosts : last;
  const auto choices = forecast::compare_strategies(calibration, job, cluster, all_strategies());
  fmt::print("{}\n", prediction_table(rows));
  print_sentences({say_left_out(calibration, job, cluster, hosts, rows.size()),
                   forecast::say_end(end, first, last), forecast::say_best(choices)});
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

void add_forecast_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand(
      "forecast", "Forecast time and speed-up of a training on more or other machines");
  command->alias("predict");  // its name in version 0.1
  const auto given = std::make_shared<GivenPrediction>();
  add_predict_flags(*command, *given);
  command->callback([given, &run] { run = [given] { return predict_command(*given); }; });
}

}  // namespace yoke
