// yoke/engine/compiled/layers/winograd_blocks.h: tiles of a batch that are computed together, and
// the matrices that they become.
#pragma once
#include <algorithm>
#include <string>
#include <unordered_map>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/kernels/winograd.h"

namespace yoke::compiled {

/// Tiles of a batch, some at a time.
struct TileBlocks {
  WinogradTiles grid;
  std::int64_t tiles;  ///< Of the batch.
  std::int64_t size;   ///< Of a block, but for the last one.
  bool dense;          ///< Whether its matrices follow one another without a gap.

  std::int64_t size_of_last() const { return tiles - (tiles - 1) / size * size; }

  /// Calls `work(TileRange, whole)` for each block, `whole` unless it is a smaller last one.
  template <typename Work>
  void for_each(const Work& work) const {
    for (std::int64_t first = 0; first < tiles; first += size) {
      const std::int64_t count = std::min(size, tiles - first);
      work(TileRange{first, count}, count == size);
    }
  }
};

/// Of weights [O, I, K, K].
WinogradKernel winograd_kernel(const dnnl::memory::dims& weights);

/// Likewise, with the inputs that matrices have.
WinogradKernel filled_kernel(const dnnl::memory::dims& weights);

/// Blocks of images of `tiled`, which `kernel` makes, of a size that was found best by measuring.
TileBlocks tile_blocks(std::int64_t images, const ImageShape& tiled, const WinogradKernel& kernel);

/// What tiles and weights are multiplied in, in a step of type `step`: bf16 loses 1 % of a result
/// of 3x3, but 4 % of one of 5x5, which stays in fp32.
inline dnnl::memory::data_type type_of_tiles(dnnl::memory::data_type step, std::int64_t taps) {
  return taps == 3 ? step : dnnl::memory::data_type::f32;
}

/// Of [products, rows, columns], one matrix after the other.
dnnl::memory::desc matrix_stack(std::int64_t products, std::int64_t rows, std::int64_t columns,
                                dnnl::memory::data_type type);

/// Of so many channels, where `liked` will do.
Format format_of_tiles(std::int64_t channels, Format liked);

/// `tensor` in such a format.
Tensor with_channels_together(Builder& builder, const Tensor& tensor);

/// [P, tiles, channels] of a block, in memory of the plan.
class BlockMatrices {
 public:
  BlockMatrices(Builder& builder, const TileBlocks& blocks, std::int64_t channels,
                dnnl::memory::data_type type);

  Buffer* buffer() const { return buffer_; }
  TileMatrices matrices() const;
  /// Of so many tiles, and of some of the channels or all.
  dnnl::memory::desc desc(std::int64_t tiles, std::int64_t channels) const;
  dnnl::memory::desc desc(std::int64_t tiles) const { return desc(tiles, channels_); }
  /// As [P, channels, tiles].
  dnnl::memory::desc transposed(std::int64_t tiles, std::int64_t channels) const;
  /// From channel `c` on.
  void* from(std::int64_t c) const;

 private:
  std::int64_t products_, channels_, pitch_;
  dnnl::memory::data_type type_;
  Buffer* buffer_;
};

/// A product of matrices and what it works on.
class TileProduct {
 public:
  TileProduct(Builder& builder, const dnnl::matmul::primitive_desc& description,
              const dnnl::memory& a, const dnnl::memory& b, const dnnl::memory& product);

  void run(dnnl::stream& stream) const { primitive_.execute(stream, arguments_); }
  /// Of matrices that begin there.
  void run(dnnl::stream& stream, void* a, void* b);
  const std::string& code() const { return code_; }

 private:
  std::string code_;
  dnnl::matmul primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace yoke::compiled
