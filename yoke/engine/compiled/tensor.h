// yoke/engine/compiled/tensor.h: where an activation lies in memory, and how.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "yoke/core/image_shape.h"
#include "yoke/engine/compiled/onednn.h"

namespace yoke::compiled {

/// A piece of a plan's memory. Pieces whose lives do not overlap share addresses.
struct Buffer {
  std::size_t bytes = 0;
  int first = 0;  ///< The step that writes it first.
  int last = 0;   ///< The step that needs it last.
  std::size_t offset = 0;
  std::byte* data = nullptr;
};

/// A batch of activations, [N][C / block][H][W][block]: a block of 1 is LibTorch's contiguous
/// format, a block of C its channels_last; oneDNN's own are 8 and 16, padded with zeros.
struct Tensor {
  std::int64_t batch = 0;
  ImageShape shape;
  std::int64_t block = 1;
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;
  Buffer* buffer = nullptr;
  bool shared = false;  ///< Others read the same memory: it must not be overwritten.

  /// Blocks of channels per image.
  std::int64_t blocks() const { return (shape.channels + block - 1) / block; }
  std::int64_t area() const { return shape.height * shape.width; }
  /// With padding.
  std::int64_t elements() const { return batch * blocks() * area() * block; }
  bool is_bf16() const { return type == dnnl::memory::data_type::bf16; }
  /// As [N, C, H, W].
  dnnl::memory::desc desc() const;

  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(buffer->data);
  }
};

/// The description of an [N, C, H, W] tensor.
dnnl::memory::desc describe(std::int64_t batch, const ImageShape& shape, std::int64_t block,
                            dnnl::memory::data_type type);

/// As above, of a format that oneDNN chooses.
dnnl::memory::desc describe_any(std::int64_t batch, const ImageShape& shape,
                                dnnl::memory::data_type type);

/// The block of `desc`, [N, C, H, W]; nothing where it is of another kind.
std::optional<std::int64_t> block_of(const dnnl::memory::desc& desc, std::int64_t batch,
                                     const ImageShape& shape, dnnl::memory::data_type type);

}  // namespace yoke::compiled
