// yoke/train/checkpoints/open_model.h: a trained model, rebuilt from what its file says of itself.
#pragma once
#include <filesystem>

#include "yoke/models/model.h"
#include "yoke/train/checkpoints/model_description.h"

namespace yoke {

/// A model with its weights.
struct OpenedModel {
  std::filesystem::path weights;  ///< The file that they are of.
  ModelDescription description;
  Model model;
};

/// Opens a `model.safetensors` of `yoke train`, a run directory (its final weights, else its newest
/// good checkpoint), its `checkpoints/` folder or one checkpoint. @throws UsageError when there is
/// none, or it does not say of what model; Error when it is damaged.
OpenedModel open_model(const std::filesystem::path& path);

}  // namespace yoke
