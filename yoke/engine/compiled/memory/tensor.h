// yoke/engine/compiled/memory/tensor.h: where an activation lies in memory, and how.
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
  std::byte* data = nullptr;  ///< Of the images that are being computed.
};

/// The order of an image's elements: [C / block][H][W][block].
enum class Format {
  kPlain,         ///< Blocks of 1: LibTorch's contiguous format.
  kChannelsLast,  ///< Blocks of C: LibTorch's channels_last.
  kBlocks8,       ///< oneDNN's nChw8c; the last block is padded with zeros.
  kBlocks16,      ///< oneDNN's nChw16c; the last block is padded with zeros.
};

/// Channels of a block.
std::int64_t block_size(Format format, std::int64_t channels);

/// A batch of activations.
struct Tensor {
  std::int64_t batch = 0;
  ImageShape shape;
  Format format = Format::kPlain;
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;
  Buffer* buffer = nullptr;
  bool shared = false;  ///< Others read the same memory: it must not be overwritten.

  std::int64_t block() const { return block_size(format, shape.channels); }
  /// Blocks of channels per image.
  std::int64_t blocks() const { return (shape.channels + block() - 1) / block(); }
  std::int64_t area() const { return shape.height * shape.width; }
  /// With padding.
  std::int64_t elements() const { return batch * blocks() * area() * block(); }
  bool is_bf16() const { return type == dnnl::memory::data_type::bf16; }
  /// As [N, C, H, W].
  dnnl::memory::desc desc() const;

  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(buffer->data);
  }
};

/// The description of an [N, C, H, W] tensor.
dnnl::memory::desc describe(std::int64_t batch, const ImageShape& shape, Format format,
                            dnnl::memory::data_type type);

/// As above, of a format that oneDNN chooses.
dnnl::memory::desc describe_any(std::int64_t batch, const ImageShape& shape,
                                dnnl::memory::data_type type);

/// The format of `desc`, [N, C, H, W]; nothing where it is none of ours.
std::optional<Format> format_of(const dnnl::memory::desc& desc, std::int64_t batch,
                                const ImageShape& shape, dnnl::memory::data_type type);

/// Whether both formats put an image of `shape` into memory in the same way.
bool same_memory(Format a, Format b, const ImageShape& shape);

}  // namespace yoke::compiled
