#include "yoke/train/evaluation/likeliest.h"

namespace yoke {

Likeliest likeliest_classes(const torch::Tensor& scores) {
  const auto [most, which] = scores.to(torch::kFloat32).softmax(1).max(1);
  return {.classes = which.to(torch::kCPU).contiguous(),
          .probability = most.to(torch::kCPU).contiguous()};
}

}  // namespace yoke
