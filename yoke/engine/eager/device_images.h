// yoke/engine/eager/device_images.h: images as a device computes with them.
#pragma once
#include <torch/types.h>

namespace yoke {

/// `input` [N, C, H, W] on `device`; on GPUs in the memory format channels_last, which tensor cores
/// convolve without copies. Copies from pinned memory do not wait.
torch::Tensor device_images(const torch::Tensor& input, torch::Device device);

}  // namespace yoke
