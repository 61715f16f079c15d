// yoke/train/evaluation/evaluate.h: loss and accuracy over a whole split, each image counted once.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/data/dataset.h"
#include "yoke/data/loader.h"
#include "yoke/engine/engine.h"
#include "yoke/run/confidence_bins.h"
#include "yoke/train/evaluation/sightings.h"
#include "yoke/train/evaluation/views.h"

namespace yoke {

/// What a model makes of a split.
struct Evaluation {
  std::int64_t images = 0;
  double loss = 0;               ///< Mean cross-entropy over images, without label smoothing.
  double top1 = 0;               ///< Fraction of images.
  double top5 = 0;               ///< Fraction of images.
  double balanced_accuracy = 0;  ///< See class_scores.h.
  double macro_f1 = 0;           ///< Likewise.
  std::vector<double> per_class_accuracy;  ///< Fraction of the class's images; NaN without any.
  torch::Tensor confusion;  ///< int64 [classes, classes]: rows are true, columns are predicted.
  std::vector<ConfidenceBin> confidence_bins;
  std::vector<Sighting> sightings;  ///< Of the images that deserve a look, in that order.
  /// Top-1 accuracy of each rank's own model; empty where ranks were not measured by themselves.
  std::vector<double> rank_top1 = {};
};

/// The confusion matrix as numbers, a row for each true class.
std::vector<std::vector<std::int64_t>> confusion_rows(const Evaluation& evaluation);

/// Runs `engine` over `views` of the images of `dataset` in its order, shared out over the ranks of
/// `communicator`.
Evaluation evaluate(Engine& engine, Communicator& communicator,
                    std::shared_ptr<const Dataset> dataset, std::int64_t batch_size,
                    const LoaderOptions& options, Views views = Views::kOne);

}  // namespace yoke
