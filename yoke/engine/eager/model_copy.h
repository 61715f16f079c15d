// yoke/engine/eager/model_copy.h: a model made once more.
#pragma once
#include <torch/types.h>

#include <functional>
#include <string>

#include "yoke/models/model.h"

namespace yoke {

/// Who wants copies of a model, for what its user reads.
struct CopyReason {
  std::string wanted_by;  ///< `replicas need`.
  std::string instead;    ///< What to give to do without: `--replicas 1`.
};

/// What `another` makes, on `device`, with the parameters frozen that are in `model`; its values
/// are its own. @throws UsageError where that is not the same model in memory of its own.
Model copy_model(const std::function<Model()>& another, const Model& model, torch::Device device,
                 const CopyReason& reason);

/// From now on `copy`, such a model's module, has the buffers of `module` as its own.
void share_buffers(torch::nn::Module& copy, const torch::nn::Module& module);

}  // namespace yoke
