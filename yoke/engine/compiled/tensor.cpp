#include "yoke/engine/compiled/tensor.h"

namespace yoke::compiled {

using dnnl::memory;

memory::desc describe(std::int64_t batch, const ImageShape& shape, std::int64_t block,
                      memory::data_type type) {
  const auto& [channels, height, width] = shape;
  const memory::dims dims{batch, channels, height, width};
  if (block == 1) return {dims, type, memory::format_tag::nchw};
  if (block == channels) return {dims, type, memory::format_tag::nhwc};
  return {dims, type, block == 8 ? memory::format_tag::nChw8c : memory::format_tag::nChw16c};
}

memory::desc describe_any(std::int64_t batch, const ImageShape& shape, memory::data_type type) {
  return {{batch, shape.channels, shape.height, shape.width}, type, memory::format_tag::any};
}

memory::desc Tensor::desc() const { return describe(batch, shape, block, type); }

std::optional<std::int64_t> block_of(const memory::desc& desc, std::int64_t batch,
                                     const ImageShape& shape, memory::data_type type) {
  for (const std::int64_t block : {std::int64_t{1}, shape.channels, std::int64_t{16}, std::int64_t{8}}) {
    if (desc == describe(batch, shape, block, type)) return block;
  }
  return std::nullopt;
}

}  // namespace yoke::compiled
