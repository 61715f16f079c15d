// tests/engine/blocked.h: activations as the compiled engine's kernels take them.
#pragma once
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "yoke/engine/compiled/memory/aligned.h"
#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::test {

using NumberType = dnnl::memory::data_type;

/// A tensor with memory of its own, made from and seen as fp32 [N, C, H, W].
class Blocked {
 public:
  Blocked(const torch::Tensor& values, compiled::Format format, NumberType type)
      : tensor_{.batch = values.size(0),
                .shape = {values.size(1), values.size(2), values.size(3)},
                .format = format,
                .type = type} {
    bytes_ = compiled::AlignedBytes(static_cast<std::size_t>(tensor_.elements()) * sizeof(float));
    buffer_.data = bytes_.data();
    tensor_.buffer = &buffer_;
    const torch::Tensor planes = values.flatten(2).to(torch::kFloat32);
    const auto numbers = planes.accessor<float, 3>();
    for_each([&](std::int64_t at, std::int64_t n, std::int64_t c, std::int64_t pixel) {
      set(at, numbers[n][c][pixel]);
    });
  }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

  const compiled::Tensor& tensor() const { return tensor_; }

  torch::Tensor values() const {
    const auto& [channels, height, width] = tensor_.shape;
    const auto values = torch::empty({tensor_.batch, channels, height * width});
    auto numbers = values.accessor<float, 3>();
    for_each([&](std::int64_t at, std::int64_t n, std::int64_t c, std::int64_t pixel) {
      numbers[n][c][pixel] = get(at);
    });
    return values.view({tensor_.batch, channels, height, width});
  }

  /// Whether the channels that fill up the last block are zero.
  bool is_padded_with_zeros() const {
    double all = 0;
    for (std::int64_t at = 0; at < tensor_.elements(); ++at) all += std::abs(get(at));
    return std::abs(all - values().abs().to(torch::kFloat64).sum().item<double>()) <
           1e-6 * (1 + all);
  }

 private:
  /// Calls visit(place, image, channel, pixel) for each element: [N][C / block][H][W][block].
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const std::int64_t block = tensor_.block(), area = tensor_.area();
    for (std::int64_t n = 0; n < tensor_.batch; ++n) {
      for (std::int64_t c = 0; c < tensor_.shape.channels; ++c) {
        for (std::int64_t pixel = 0; pixel < area; ++pixel) {
          const std::int64_t plane = n * tensor_.blocks() + c / block;
          visit((plane * area + pixel) * block + c % block, n, c, pixel);
        }
      }
    }
  }

  void set(std::int64_t at, float value) {
    if (tensor_.is_bf16()) {
      tensor_.data<at::BFloat16>()[at] = value;
    } else {
      tensor_.data<float>()[at] = value;
    }
  }
  float get(std::int64_t at) const {
    return tensor_.is_bf16() ? static_cast<float>(tensor_.data<at::BFloat16>()[at])
                             : tensor_.data<float>()[at];
  }

  compiled::AlignedBytes bytes_;
  compiled::Buffer buffer_;
  compiled::Tensor tensor_;
};

/// Noise that both number types hold exactly.
inline torch::Tensor exact_noise(const std::vector<std::int64_t>& sizes) {
  return torch::randn(sizes).to(torch::kBFloat16).to(torch::kFloat32);
}

/// Calls `check(channels, format, type)` for odd numbers of channels in all formats and types.
template <typename Check>
void in_all_formats(const Check& check) {
  for (const std::int64_t channels : {1, 5, 17, 33}) {
    for (const auto format : {compiled::Format::kPlain, compiled::Format::kChannelsLast,
                              compiled::Format::kBlocks8, compiled::Format::kBlocks16}) {
      for (const NumberType type : {NumberType::f32, NumberType::bf16}) {
        check(channels, format, type);
      }
    }
  }
}

/// Half a unit in the last place of a number of size 1, with room for sums in another order.
inline double rounding(NumberType type) { return type == NumberType::bf16 ? 0x1p-8 : 1e-6; }

}  // namespace yoke::test
