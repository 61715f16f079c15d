#include "yoke/engine/compiled/check_scores.h"

#include <fmt/format.h>

#include <cmath>

#include "yoke/engine/compiled.h"

namespace yoke::compiled {
namespace {

/// Far above what rounding comes to in networks of a hundred layers, far below any other reason.
double tolerance(Precision precision) { return precision == Precision::kFp32 ? 0.01 : 0.25; }

}  // namespace

torch::Tensor images_to_compare(const ImageShape& shape) {
  const std::int64_t pixels = 2 * shape.elements();
  return torch::arange(pixels, torch::kFloat32)
      .mul(0.7)
      .sin()
      .view({2, shape.channels, shape.height, shape.width});
}

void check_scores(const Model& model, const torch::Tensor& images, const torch::Tensor& scores,
                  Precision precision) {
  const torch::NoGradGuard no_grad;
  const bool was_training = model.module->is_training();
  model.module->eval();
  const torch::Tensor logits = model.forward(images);
  model.module->train(was_training);
  // Some models return log-probabilities, of which the engine leaves out the softmax.
  const torch::Tensor expected = logits.to(torch::kFloat32).log_softmax(1);
  const torch::Tensor found = scores.log_softmax(1);
  const double size = expected.abs().max().item<double>();
  if (!std::isfinite(size)) return;  // weights that tell nothing
  const double difference = (found - expected).abs().max().item<double>();
  if (difference <= tolerance(precision) * size) return;
  throw UnsupportedModel(fmt::format(
      "the model does not compile: its scores for two images differ by {:.3g} of {:.3g} "
      "from those that it gives itself; use --engine eager, which runs any model",
      difference, size));
}

}  // namespace yoke::compiled
