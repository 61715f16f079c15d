#include "yoke/engine/eager/device_images.h"

namespace yoke {

torch::Tensor device_images(const torch::Tensor& input, torch::Device device) {
  const torch::Tensor images = input.to(device, /*non_blocking=*/true);
  return device.is_cpu() ? images : images.contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace yoke
