// tests/engine/trained.h: what tests of engines make: models of a few lines, batches, engines.
#pragma once
#include <torch/nn/module.h>
#include <torch/utils.h>

#include <memory>
#include <utility>

#include "yoke/engine/compiled.h"
#include "yoke/models/model.h"

namespace yoke::test {

/// Of a step in the middle of a run.
inline constexpr StepKey kKey{.seed = 3, .step = 8};

/// A model whose modules `build(module)` registers; it returns the forward function.
template <typename Build>
Model model_of(const ImageShape& input, const Build& build) {
  torch::manual_seed(3);
  const auto module = std::make_shared<torch::nn::Module>();
  return {.module = module, .forward = build(*module), .input = input};
}

/// `count` images of noise for `model`, of ten classes; equal for equal seeds.
inline Batch random_batch(const Model& model, std::int64_t count, std::uint64_t seed = 7) {
  torch::manual_seed(seed);
  const auto& [channels, height, width] = model.input;
  return {.input = torch::randn({count, channels, height, width}),
          .target = torch::randint(10, {count})};
}

/// A model, its flat parameters and a compiled engine.
struct Compiled {
  explicit Compiled(Model made, const CompiledOptions& options = {})
      : model(std::move(made)),
        parameters(*model.module),
        engine(make_compiled_engine(model, parameters, options)) {}

  torch::Tensor gradient_of(const std::string& name) {
    for (const auto& slice : parameters.slices()) {
      if (slice.name != name) continue;
      return parameters.gradients().slice(0, slice.offset, slice.offset + slice.elements).clone();
    }
    return {};
  }

  Model model;
  FlatParameters parameters;
  std::unique_ptr<CompiledEngine> engine;
};

/// The largest difference, in parts of the largest number of `expected`.
inline double relative_difference(const torch::Tensor& actual, const torch::Tensor& expected) {
  return ((actual - expected).abs().max() / expected.abs().max()).item<double>();
}

}  // namespace yoke::test
