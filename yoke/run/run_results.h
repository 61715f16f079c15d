// yoke/run/run_results.h: what a run directory holds, also of a run that goes on, failed or was
// killed.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/run/confidence_bins.h"
#include "yoke/run/image_predictions.h"
#include "yoke/run/metrics.h"
#include "yoke/run/phases.h"
#include "yoke/run/resource_samples.h"

namespace yoke {

/// A run as its directory tells of it; see docs/formats.md.
struct RunResults {
  std::filesystem::path path;
  std::string status;                         ///< As in summary.json; `unfinished` without one.
  std::map<std::string, std::string> config;  ///< config.toml.
  /// summary.json, `hardware.cpu` for a field inside another. Of an unfinished run, what its
  /// reports tell; communication_seconds is always from them.
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::vector<std::string> classes;
  std::vector<double> per_class_accuracy;      ///< NaN for a class without images.
  std::vector<std::vector<double>> confusion;  ///< Images; rows are true classes.
  std::vector<ConfidenceBin> confidence_bins;  ///< Empty where the run did not tell.
  std::vector<ImagePrediction> predictions;    ///< In the order to look at them.
  std::vector<Metrics> training, validation;
  std::vector<ResourceSample> resources;
  std::vector<Phase> phases;
  std::vector<std::string> remarks;  ///< What is missing or damaged, a sentence each.

  std::optional<double> number(const std::string& name) const;
  std::string text(const std::string& name) const;   ///< Empty where there is none.
  std::string class_name(std::size_t number) const;  ///< The number itself where there is none.
};

/// Reads what is there. @throws UsageError where `path` is no run directory.
RunResults read_run(const std::filesystem::path& path);

}  // namespace yoke
