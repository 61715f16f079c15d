// yoke/train/evaluation/views.h: the views of an image over which an evaluation averages its
// scores.
#pragma once
#include <torch/types.h>

#include <cstdint>

#include "yoke/core/enum_words.h"
#include "yoke/engine/engine.h"

namespace yoke {

/// Test-time augmentation: the image alone, it and its mirror image, or both also moved by a pixel.
enum class Views : std::uint8_t { kOne, kFlip, kFlipShift };

template <>
struct EnumWords<Views> {
  static constexpr std::string_view kWords[] = {"none", "flip", "flip-shift"};
};

/// Mean scores in evaluation mode over `views` of each image, fp32 [N, classes], for input
/// fp32 [N, C, H, W]. kFlipShift gives the image half the weight, and a quarter each to moves down
/// right and up left, as Jordan 2024, "94% on CIFAR-10 in 3.29 Seconds on a Single GPU",
/// section 3.5.
torch::Tensor mean_scores(Engine& engine, const torch::Tensor& input, Views views);

}  // namespace yoke
