// yoke/core/batch.h: what a step is computed from.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace yoke {

/// Images ready for a model, with their classes: a rank's part of a step.
struct Batch {
  torch::Tensor input;            ///< fp32 [N, C, H, W], normalised.
  torch::Tensor target;           ///< int64 [N], in [0, classes).
  std::int64_t first_image = 0;   ///< Of these, among the step's images over all ranks.
  std::int64_t step_images = -1;  ///< Over all ranks; -1: these are all.
  /// Where each image is mixed of two, the class of the one that weighs less, int64 [N]; undefined
  /// where none is mixed.
  torch::Tensor other_target{};
  torch::Tensor other_share{};  ///< With it: what that class weighs, fp32 [N], in [0, 0.5].

  bool mixed() const { return other_target.defined(); }
  std::int64_t size() const { return target.size(0); }
  /// Images over all ranks.
  std::int64_t whole() const { return step_images < 0 ? size() : step_images; }
  /// Those above that are defined, each with a row per image.
  std::vector<torch::Tensor*> tensors();
  /// The same as all of a step, whose loss is then the mean over these images; nothing stays
  /// nothing.
  Batch alone() const;
  /// Images [begin, end) of these.
  Batch slice(std::int64_t begin, std::int64_t end) const;
};

/// @throws Error where a class of `target`, int64 [N] on the CPU, is not in [0, classes).
void check_target(const torch::Tensor& target, std::int64_t classes);

}  // namespace yoke
