// yoke/train/config/config.h: everything that decides how a run goes.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "yoke/core/enum_words.h"
#include "yoke/core/sizes_by_epoch.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/engine/make_engine.h"
#include "yoke/engine/precision.h"
#include "yoke/report/progress/progress.h"
#include "yoke/train/config/augmentation_sets.h"
#include "yoke/train/config/interval.h"
#include "yoke/train/config/step_range.h"
#include "yoke/train/evaluation/views.h"

namespace yoke {

inline constexpr std::int64_t kDefaultEpochs = 5;
inline constexpr std::int64_t kDefaultBatchSize = 256;

/// Where a step is computed; kAuto takes a GPU where there is one.
enum class DeviceKind { kAuto, kCpu, kCuda };

template <>
struct EnumWords<DeviceKind> {
  static constexpr std::string_view kWords[] = {"auto", "cpu", "cuda"};
};

/// Images of a step that grow in number: Smith et al., "Don't Decay the Learning Rate, Increase the
/// Batch Size" (ICLR 2018).
inline constexpr SizeRange kBatchSizes{.most = std::numeric_limits<std::int64_t>::max(),
                                       .example = "0:128,30:512"};
/// Images that grow, in pixels: Howard, "Training Imagenet in 3 hours for $25" (2018); Touvron et
/// al., "Fixing the train-test resolution discrepancy" (NeurIPS 2019).
inline constexpr SizeRange kImageSizes{.most = 4096, .example = "0:96,6:128,14:160"};

/// The flags of `yoke train`, parsed; see flag_table.cpp for what each means.
struct TrainConfig {
  std::string model = "lab-cnn";
  std::filesystem::path model_file;  ///< See ModelInput::file; no flag: a run's own copy.
  std::string data = "glyphs";
  std::filesystem::path data_dir = "data";
  std::string weights;  ///< To begin with, see choose_weights(); empty: drawn from the seed.

  std::string freeze;    ///< Parts that do not learn, see parameters_of(); empty: none.
  std::string lr_scale;  ///< Parts that learn at another rate, see LrScales; empty: none.

  std::optional<std::int64_t> epochs;  ///< kDefaultEpochs when neither is given.
  std::optional<std::int64_t> max_steps;
  std::optional<double> target_accuracy;  ///< In (0, 1].
  std::optional<std::int64_t> patience;   ///< Evaluations without a better one, before the end.

  SizesByEpoch batch_size;                          ///< Over all ranks; kDefaultBatchSize.
  std::optional<std::int64_t> batch_size_per_rank;  ///< Instead.
  std::string optimizer = "sgd:momentum=0.9";
  std::optional<double> lr;  ///< The optimizer's own default where it is not given.
  std::string schedule = "constant";
  std::string ema;          ///< See WeightAverageOptions; empty: none.
  SizesByEpoch image_size;  ///< Of training images.
  double label_smoothing = 0;
  std::string class_weights;   ///< Of the loss, see class_weights_of(); empty: all 1.
  std::string sample_weights;  ///< Likewise, by which images are drawn; empty: each once an epoch.
  std::optional<AugmentationSet> augment;
  std::optional<double> mixup;  ///< See Mixing; 0.
  std::optional<double> cutmix;

  std::string strategy = "allreduce";
  std::string comm = "auto";
  std::chrono::seconds join_timeout{300};  ///< For all ranks to come at the start.
  std::chrono::seconds comm_timeout{600};  ///< An operation may wait for another rank.
  std::int64_t replicas = 0;     ///< 0: one per thread on the compiled engine, one on the eager.
  std::int64_t micro_batch = 0;  ///< Images a replica computes at once; 0: what fits its cache.
  EngineKind engine = EngineKind::kAuto;
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::kAuto;
  Precision precision = Precision::kFp32;
  DeviceKind device = DeviceKind::kAuto;
  Tf32 tf32 = Tf32::kConvolutions;
  bool cuda_graph = false;

  Interval checkpoint_every;
  std::int64_t keep = 3;
  bool keep_best = false;  ///< The run's weights are those of its best evaluation.
  std::string resume;      ///< Empty, `auto` or a path.

  std::filesystem::path out;  ///< Empty: `runs/<date-time>-<model>-<data>`.
  std::uint64_t seed = 1;
  bool deterministic = false;
  std::int64_t threads = 0;         ///< 0: all cores allowed.
  std::int64_t loader_threads = 0;  ///< 0: chosen from `threads`.
  Interval eval_every = Interval::parse("1epoch", "eval-every");
  Views tta = Views::kOne;  ///< Test-time augmentation.
  ProgressKind progress = ProgressKind::kAuto;
  std::int64_t print_every = 50;
  bool tensorboard = true;
  bool resources = true;
  std::optional<StepRange> profile;  ///< Steps that are recorded, see StepProfile.
};

/// @throws UsageError on values that exclude each other.
void validate(const TrainConfig& config);

}  // namespace yoke
