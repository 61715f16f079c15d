// yoke/train/workload.h: a model on its data, ready to compute; what training and evaluating share.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "yoke/core/flat_parameters.h"
#include "yoke/data/dataset.h"
#include "yoke/data/loader.h"
#include "yoke/engine/make_engine.h"
#include "yoke/models/model.h"
#include "yoke/optim/loss_scaler.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// A program's own parts, in place of those that the configuration names.
struct TrainParts {
  std::function<Model(const ModelInput&)> model;
  std::function<DatasetSplits(const DatasetInput&)> data;
};

/// Data, model and engine. Members refer to each other: it does not move.
struct Workload {
  /// `threads`, at least 1, compute the step; `gradients` and `values` make the parameters' memory,
  /// see FlatParameters; `early_gradients` as CompiledOptions has it.
  Workload(const TrainConfig& config, std::int64_t threads, const TrainParts& parts,
           const FlatParameters::Allocate& gradients = {},
           const FlatParameters::Allocate& values = {}, bool early_gradients = false);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// The training images as large as `sizes` has them in `epoch`; as the model takes them where
  /// nothing is given.
  std::shared_ptr<const Dataset> train_images(const SizesByEpoch& sizes, std::int64_t epoch) const;

  /// The images of `train`, which stay on the GPU; the same object as at the last call where that
  /// was for the same. Null where steps run elsewhere or images cannot stay.
  std::shared_ptr<ResidentImages> resident_images(const std::shared_ptr<const Dataset>& train);

  torch::Device device;
  DatasetSplits data;  ///< Resized to what the model takes.
  /// Training images as they are stored, for those of other sizes; null where there are none.
  std::shared_ptr<const Dataset> stored_train;
  Model model;
  /// What files of its weights say of themselves; nothing of a caller's own model, or
  /// of images that are no pictures.
  std::map<std::string, std::string> metadata;
  FlatParameters parameters;
  std::unique_ptr<LossScaler> scaler;  ///< Null where the engine does not scale losses.
  EngineChoice engine;
  std::shared_ptr<const WeightedOrder> order;  ///< Null where each image comes once an epoch.
  LoaderOptions loader;

 private:
  std::shared_ptr<ResidentImages> resident_;
};

}  // namespace yoke
