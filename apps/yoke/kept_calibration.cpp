#include "apps/yoke/kept_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/yoke/calibrate.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/training_times.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/system/threads.h"
#include "yoke/forecast/calibration_file.h"
#include "yoke/forecast/exchange.h"
#include "yoke/forecast/rank_step.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using forecast::Calibration;
using forecast::Cluster;
using forecast::Job;

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

/// Those that most trainings use, and this job's.
std::vector<std::string> communicators_of(const Job& job) {
  std::vector<std::string> names = {kGloo, kSharedMemory};
  const auto& own = job.comm.between;
  if (std::find(names.begin(), names.end(), own) == names.end()) names.push_back(own);
  return names;
}

/// The largest share of a rank in a step.
std::int64_t images_per_rank(const Job& job, const Cluster& cluster) {
  const std::int64_t workers = forecast::count_workers(job.strategy, cluster);
  return (forecast::global_batch_size(job, cluster) + workers - 1) / workers;
}

/// From what `smallest` needs to what `largest` does, whose ranks have fewer images.
CalibrationWanted wanted_of(const GivenPrediction& given, const TrainConfig& config, const Job& job,
                            const Cluster& smallest, const Cluster& largest, int cores) {
  const std::int64_t most = images_per_rank(job, smallest);
  CalibrationWanted wanted{.config = config,
                           .images = images_to_measure(most, images_per_rank(job, largest)),
                           .layouts = forecast::needed_layouts(cores, smallest),
                           .communicators = communicators_of(job),
                           .seconds = given.seconds};
  wanted.config.device = DeviceKind::kCpu;
  return wanted;
}

}  // namespace

Calibration calibrated(const GivenPrediction& given, const TrainConfig& config, const Job& job,
                       const std::vector<std::int64_t>& hosts) {
  const int cores = cpu_budget().threads(1);
  Cluster smallest = cluster_of(given, cores), largest = smallest;
  smallest.hosts = hosts.front();
  largest.hosts = hosts.back();
  for (const auto& cluster : {largest, smallest})
    forecast::check(job, cluster);  // before measuring
  const auto wanted = wanted_of(given, config, job, smallest, largest, cores);
  const Calibration empty = describe_calibration(wanted);
  const bool named = !given.calibration.empty();
  const fs::path path =
      named ? fs::path(given.calibration) : forecast::cached_path(cache_folder(), empty);
  auto kept = given.calibrate ? std::nullopt : forecast::read_calibration(path);
  if (kept) {
    const auto why = forecast::why_not_same(*kept, empty, /*any_machine=*/named);
    if (!why.empty()) {
      throw UsageError(fmt::format(
          "{} does not fit: {}; give another --calibration, or --calibrate to measure again",
          path.string(), why));
    }
  }
  Calibration calibration = kept.value_or(empty);
  const bool here = forecast::why_not_same(calibration, empty, /*any_machine=*/false).empty();
  if (here && lacks(calibration, wanted)) {
    complete(calibration, wanted);
    forecast::write_calibration(path, calibration);
  }
  fmt::print("calibration  {}, {}, {} cores; measured {}; {}\n", calibration.host, calibration.cpu,
             calibration.cores, calibration.date, path.string());
  return calibration;
}

}  // namespace yoke
