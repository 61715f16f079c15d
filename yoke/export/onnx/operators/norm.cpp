// yoke/export/onnx/operators/norm.cpp: norms over images and over features.
#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {
namespace {

/// Argument `i`, or a tensor of `sizes` that is `otherwise` everywhere.
std::string value_or(Lowering& lowering, std::size_t i, const std::vector<std::int64_t>& sizes,
                     double otherwise) {
  if (!lowering.is_none(i)) return lowering.value(i);
  return lowering.constant(torch::full(sizes, otherwise, torch::kFloat32));
}

}  // namespace

void lower_batch_norm(Lowering& lowering) {
  constexpr std::size_t kWeight = 1, kBias = 2, kMean = 3, kVariance = 4, kTraining = 5, kEps = 7;
  if (lowering.flag(kTraining)) {
    lowering.unsupported("it has no running statistics, so that images depend on each other");
  }
  const std::vector<std::int64_t> channels = {lowering.size(0, 1)};
  lowering.give(lowering.add(
      "BatchNormalization",
      {lowering.value(0), value_or(lowering, kWeight, channels, 1),
       value_or(lowering, kBias, channels, 0), lowering.value(kMean), lowering.value(kVariance)},
      {{"epsilon", lowering.number(kEps)}}));
}

void lower_layer_norm(Lowering& lowering) {
  constexpr std::size_t kSizes = 1, kWeight = 2, kBias = 3, kEps = 4;
  const auto sizes = lowering.integers(kSizes);
  lowering.give(lowering.add("LayerNormalization",
                             {lowering.value(0), value_or(lowering, kWeight, sizes, 1),
                              value_or(lowering, kBias, sizes, 0)},
                             {{"axis", -std::ssize(sizes)}, {"epsilon", lowering.number(kEps)}}));
}

}  // namespace yoke::onnx_export
