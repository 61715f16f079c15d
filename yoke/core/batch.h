// yoke/core/batch.h: what a step is computed from.
#pragma once
#include <torch/types.h>

#include <cstdint>

namespace yoke {

/// Images ready for a model, with their classes: a rank's part of a step.
struct Batch {
  torch::Tensor input;            ///< fp32 [N, C, H, W], normalised.
  torch::Tensor target;           ///< int64 [N], in [0, classes).
  std::int64_t first_image = 0;   ///< Of these, among the step's images over all ranks.
  std::int64_t step_images = -1;  ///< Over all ranks; -1: these are all.

  std::int64_t size() const { return target.size(0); }
  /// Images over all ranks.
  std::int64_t whole() const { return step_images < 0 ? size() : step_images; }
  /// The same as all of a step, whose loss is then the mean over these images; nothing stays
  /// nothing.
  Batch alone() const { return {input, target, first_image, size() == 0 ? step_images : -1}; }
  /// Images [begin, end) of these.
  Batch slice(std::int64_t begin, std::int64_t end) const {
    return {input.slice(0, begin, end), target.slice(0, begin, end), first_image + begin, whole()};
  }
};

/// @throws Error where a class of `target`, int64 [N] on the CPU, is not in [0, classes).
void check_target(const torch::Tensor& target, std::int64_t classes);

}  // namespace yoke
