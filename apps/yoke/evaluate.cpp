// apps/yoke/evaluate.cpp: `yoke evaluate`, the accuracy of a trained model, per class too.
#include "yoke/train/evaluation/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/number_flag.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/checkpoints/trained_model.h"
#include "yoke/train/checkpoints/weights.h"
#include "yoke/train/config/flags.h"
#include "yoke/train/workload.h"

namespace yoke {
namespace {

struct GivenEvaluation {
  std::string path;
  std::string model;
  std::string data;
  std::string data_dir;
  std::string tta;
  std::int64_t batch_size = 256;
  std::int64_t threads = 0;
  bool json = false;
};

void print_confusion(const Evaluation& result, const std::vector<std::string>& names) {
  std::size_t width = 6;
  for (const auto& name : names) width = std::max(width, name.size());
  fmt::print("\nConfusion matrix: rows are the true class, columns the prediction\n{:{}}", "",
             width);
  for (std::size_t c = 0; c < names.size(); ++c) fmt::print(" {:>6}", c);
  fmt::print("\n");
  const auto cells = result.confusion.accessor<std::int64_t, 2>();
  for (std::size_t row = 0; row < names.size(); ++row) {
    fmt::print("{:>{}}", names[row], width);
    for (std::size_t c = 0; c < names.size(); ++c) {
      fmt::print(" {:>6}", cells[static_cast<std::int64_t>(row)][static_cast<std::int64_t>(c)]);
    }
    fmt::print("\n");
  }
}

void print(const Evaluation& result, const std::vector<std::string>& names) {
  fmt::print("images {}  loss {:.4f}  top-1 {:.2f} %  top-5 {:.2f} %\n", result.images, result.loss,
             100 * result.top1, 100 * result.top5);
  fmt::print("balanced accuracy {:.2f} %  macro F1 {:.2f} %  expected calibration error {:.2f} %\n",
             100 * result.balanced_accuracy, 100 * result.macro_f1,
             100 * expected_calibration_error(result.confidence_bins));
  fmt::print("\nAccuracy per class\n");
  std::size_t width = 0;
  for (const auto& name : names) width = std::max(width, name.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    fmt::print("  {:>3} {:<{}}  {:6.2f} %\n", c, names[c], width,
               100 * result.per_class_accuracy[c]);
  }
  constexpr std::size_t kWidest = 20;  // classes whose matrix fits a terminal
  if (names.size() <= kWidest) print_confusion(result, names);
}

nlohmann::ordered_json evaluation_json(const Evaluation& result,
                                       const std::vector<std::string>& names) {
  nlohmann::ordered_json json = {{"images", result.images},
                                 {"loss", result.loss},
                                 {"top1", result.top1},
                                 {"top5", result.top5},
                                 {"balanced_accuracy", result.balanced_accuracy},
                                 {"macro_f1", result.macro_f1},
                                 {"ece", expected_calibration_error(result.confidence_bins)},
                                 {key::kClasses, names},
                                 {key::kPerClassAccuracy, result.per_class_accuracy}};
  json[key::kConfusion] = confusion_rows(result);
  json[key::kConfidenceBins] = confidence_bins_json(result.confidence_bins);
  return json;
}

/// Whether PATH is a file of weights alone, for which flags must say of what they are.
bool is_plain(const GivenEvaluation& given) {
  const bool plain = std::filesystem::is_regular_file(given.path);
  if (plain && (given.model.empty() || given.data.empty())) {
    throw UsageError(fmt::format(
        "{} is a file of weights, which does not say of what model; give --model and --data",
        given.path));
  }
  if (!given.model.empty() && !std::filesystem::exists(given.path)) {
    throw UsageError(fmt::format("there is no {}; give a file of weights, or a run without --model",
                                 given.path));
  }
  if (!plain && !given.model.empty()) {
    throw UsageError(
        fmt::format("--model {} is for files of weights, but {} has its own model; leave it out",
                    given.model, given.path));
  }
  return plain;
}

int evaluate_command(const GivenEvaluation& given) {
  const bool plain = is_plain(given);
  TrainedModel trained;
  if (plain) {
    trained.source = given.path;
    trained.config.model = given.model;
  } else {
    trained = read_trained_model(given.path);
  }
  TrainConfig& config = trained.config;
  if (!given.data.empty()) config.data = given.data;
  if (!given.data_dir.empty()) config.data_dir = given.data_dir;
  if (!given.tta.empty()) config.tta = parse_word<Views>("--tta", given.tta);
  const Views views = config.tta;
  config.threads = given.threads > 0 ? given.threads : threads_from_environment();
  if (config.threads == 0) config.threads = cpu_budget().threads(1);
  set_threads(static_cast<int>(config.threads));
  config.replicas = 0;  // this machine may have other cores than the run's
  config.cuda_graph = false;
  apply(GpuSettings{.tf32 = config.tf32, .deterministic = config.deterministic, .trials = false});
  Workload workload(config, config.threads, {});
  if (plain) {
    load_weights(*workload.model.module, {.given = given.path, .file = given.path, .skip = {}});
  } else {
    restore_module(*workload.model.module, trained.tensors, trained.source.string());
  }
  const auto communicator = make_communicator("single");
  const auto& names = workload.data.validation->info().class_names;
  fmt::print("{}: {} on the validation images of {}{}\n", trained.source.string(), config.model,
             config.data, views == Views::kOne ? "" : fmt::format(", --tta {}", word_of(views)));
  const Evaluation result =
      evaluate(*workload.engine.engine, *communicator, workload.data.validation, given.batch_size,
               workload.loader, views);
  print(result, names);
  if (given.json) fmt::print("{}\n", evaluation_json(result, names).dump());
  return 0;
}

}  // namespace

void add_evaluate_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("evaluate", "Measure the accuracy of a trained model");
  const auto given = std::make_shared<GivenEvaluation>();
  command
      ->add_option("PATH", given->path,
                   "Run directory, checkpoint folder, or a file of weights with --model and --data")
      ->type_name("PATH")
      ->required();
  command->add_option("--model", given->model, "The model of a file of weights")
      ->type_name("MODEL[:k=v,...]");
  command->add_option("--data", given->data, "Another data set than the run's")
      ->type_name("DATASET[:k=v,...]");
  command
      ->add_option(as_flag(flag::kDataDir), given->data_dir,
                   "Where data sets are, if not where they were")
      ->type_name("DIR");
  command
      ->add_option("--tta", given->tta,
                   "Test-time augmentation, if not the run's; see 'yoke train --help'")
      ->type_name(words_of<Views>("/"));
  command->add_option(as_flag(flag::kBatchSize), given->batch_size, "Images per forward pass")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--threads", given->threads, "Threads; 0 is one per core allowed")
      ->check(CLI::Range(std::int64_t{0}, kMostThreads))
      ->capture_default_str();
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] { run = [given] { return evaluate_command(*given); }; });
}

}  // namespace yoke
