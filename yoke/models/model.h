// yoke/models/model.h: a network that knows nothing of ranks, and how to build one by name.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "yoke/core/image_shape.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"

namespace yoke {

/// What a data set asks of a model: the images it has and the number of classes.
struct ModelInput {
  ImageShape image;
  std::int64_t classes = 0;
  std::filesystem::path file = {};  ///< In place of ModelTraits::file; empty: that one.
};

/// Any `torch::nn` module that maps images to class scores.
struct Model {
  std::shared_ptr<torch::nn::Module> module;
  /// fp32 [N, C, H, W] to logits or log-probabilities, fp32 [N, classes].
  std::function<torch::Tensor(torch::Tensor)> forward;
  /// The shape `forward` takes; images of another height or width are resized to it.
  ImageShape input;
};

/// Makes a `Model` of a module holder, such as one declared with TORCH_MODULE.
template <typename Holder>
Model wrap_module(Holder module, ImageShape input) {
  return {.module = module.ptr(),
          .forward = [module](torch::Tensor images) mutable { return module->forward(images); },
          .input = input};
}

/// What is asked of a choice of model before one is made.
struct ModelTraits {
  ImageShape usual_image = {3, 32, 32};  ///< What it is tried on where no data is named.
  /// Options, as `key=value,...`, of a form with the same layers that is quick to try; empty where
  /// the model itself is.
  std::string_view small_form = {};
  bool from_file = false;           ///< Whether it is what a file says, weights and all.
  std::filesystem::path file = {};  ///< This file, where one was given.
};

/// A model as its file declares it.
using ModelPlugin = Plugin<Model(const ModelInput& input), ModelTraits>;

/// Every model of models.def.
const Registry<ModelPlugin>& models();

/// Builds the model that `text` (`name:key=value,...`) names, its weights drawn from `seed`, or
/// those of its file. @throws UsageError on an unknown name or option.
Model make_model(std::string_view text, const ModelInput& input, std::uint64_t seed);

/// The number of trainable parameters.
std::int64_t count_parameters(const torch::nn::Module& module);

}  // namespace yoke
