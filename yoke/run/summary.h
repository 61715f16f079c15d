// yoke/run/summary.h: summary.json, what a run came to; the names of its fields.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "yoke/run/confidence_bins.h"

namespace yoke {

/// The keys of summary.json that others than its writer ask for. `cpu` stands inside `hardware`,
/// `yoke` inside `versions`: a reader writes `hardware.cpu`.
namespace key {
inline constexpr const char* kBatchSize = "batch_size";
inline constexpr const char* kBestStep = "best_step";
inline constexpr const char* kBestValTop1 = "best_val_top1";
inline constexpr const char* kCheckpointSeconds = "checkpoint_seconds";
inline constexpr const char* kClasses = "classes";
inline constexpr const char* kCommand = "command";
inline constexpr const char* kCommunicationBytes = "communication_bytes";
inline constexpr const char* kCommunicationSeconds = "communication_seconds";
inline constexpr const char* kCommunicator = "communicator";
inline constexpr const char* kConfidenceBins = "confidence_bins";
inline constexpr const char* kConfusion = "confusion";
inline constexpr const char* kCpuSeconds = "cpu_seconds";
inline constexpr const char* kDamagedImages = "damaged_images";
inline constexpr const char* kData = "data";
inline constexpr const char* kDataWaitSeconds = "data_wait_seconds";
inline constexpr const char* kDevice = "device";
inline constexpr const char* kEngine = "engine";
inline constexpr const char* kEpochs = "epochs";
inline constexpr const char* kError = "error";
inline constexpr const char* kEvaluateSeconds = "evaluate_seconds";
inline constexpr const char* kFinalTrainLoss = "final_train_loss";
inline constexpr const char* kHardware = "hardware";
inline constexpr const char* kHardwareCpu = "hardware.cpu";
inline constexpr const char* kImagesPerSecond = "images_per_second";
inline constexpr const char* kModel = "model";
inline constexpr const char* kPeakRssBytes = "peak_rss_bytes";
inline constexpr const char* kPerClassAccuracy = "per_class_accuracy";
inline constexpr const char* kRankValTop1 = "rank_val_top1";
inline constexpr const char* kRankValTop1Least = "rank_val_top1.least";
inline constexpr const char* kRankValTop1Mean = "rank_val_top1.mean";
inline constexpr const char* kRankValTop1Most = "rank_val_top1.most";
inline constexpr const char* kReplicas = "replicas";
inline constexpr const char* kSeed = "seed";
inline constexpr const char* kStatus = "status";
inline constexpr const char* kSteps = "steps";
inline constexpr const char* kStrategy = "strategy";
inline constexpr const char* kTargetAccuracy = "target_accuracy";
inline constexpr const char* kTargetReached = "target_reached";
inline constexpr const char* kThreads = "threads";
inline constexpr const char* kTimeToTargetSeconds = "time_to_target_seconds";
inline constexpr const char* kTrainSeconds = "train_seconds";
inline constexpr const char* kValBalancedAccuracy = "val_balanced_accuracy";
inline constexpr const char* kValEce = "val_ece";
inline constexpr const char* kValImages = "val_images";
inline constexpr const char* kValLoss = "val_loss";
inline constexpr const char* kValMacroF1 = "val_macro_f1";
inline constexpr const char* kValTop1 = "val_top1";
inline constexpr const char* kValTop5 = "val_top5";
inline constexpr const char* kVersions = "versions";
inline constexpr const char* kVersionsYoke = "versions.yoke";
inline constexpr const char* kWallSeconds = "wall_seconds";
inline constexpr const char* kWorldSize = "world_size";
}  // namespace key

/// What of `hardware` others than its writer ask for.
namespace hardware_key {
inline constexpr const char* kCoreQuota = "core_quota";
inline constexpr const char* kCpu = "cpu";
inline constexpr const char* kCores = "cores";
inline constexpr const char* kCpuFeatures = "cpu_features";
inline constexpr const char* kHostCores = "host_cores";
inline constexpr const char* kMemoryBytes = "memory_bytes";
inline constexpr const char* kMemoryLimitBytes = "memory_limit_bytes";
}  // namespace hardware_key

/// How a run ended, as `status` says.
namespace run_status {
inline constexpr const char* kCompleted = "completed";
inline constexpr const char* kStopped = "stopped";
inline constexpr const char* kFailed = "failed";
}  // namespace run_status

/// summary.json as a reader takes it.
struct RunSummary {
  std::string status;
  std::map<std::string, double> numbers;     ///< `hardware.cores` for a field inside another.
  std::map<std::string, std::string> texts;  ///< Likewise.
  std::vector<std::string> classes;
  std::vector<double> per_class_accuracy;      ///< NaN for a class without images.
  std::vector<std::vector<double>> confusion;  ///< Images; rows are true classes.
  std::vector<ConfidenceBin> confidence_bins;  ///< Empty where the run did not tell.
};

/// Writes summary.json whole or not at all. @throws Error.
void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& summary);

/// Nothing where the file is damaged. @throws Error when it cannot be read.
std::optional<RunSummary> read_summary(const std::filesystem::path& path);

/// Whether summary.json is there and says that its run has completed.
bool has_completed(const std::filesystem::path& path);

}  // namespace yoke
