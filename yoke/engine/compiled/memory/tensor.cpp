#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

using dnnl::memory;

namespace {

memory::format_tag tag_of(Format format) {
  switch (format) {
    case Format::kChannelsLast:
      return memory::format_tag::nhwc;
    case Format::kBlocks8:
      return memory::format_tag::nChw8c;
    case Format::kBlocks16:
      return memory::format_tag::nChw16c;
    default:
      return memory::format_tag::nchw;
  }
}

bool is_padded(Format format, std::int64_t channels) {
  return channels % block_size(format, channels) != 0;
}

}  // namespace

std::int64_t block_size(Format format, std::int64_t channels) {
  switch (format) {
    case Format::kChannelsLast:
      return channels;
    case Format::kBlocks8:
      return 8;
    case Format::kBlocks16:
      return 16;
    default:
      return 1;
  }
}

memory::desc describe(std::int64_t batch, const ImageShape& shape, Format format,
                      memory::data_type type) {
  return {{batch, shape.channels, shape.height, shape.width}, type, tag_of(format)};
}

memory::desc describe_any(std::int64_t batch, const ImageShape& shape, memory::data_type type) {
  return {{batch, shape.channels, shape.height, shape.width}, type, memory::format_tag::any};
}

memory::desc Tensor::desc() const { return describe(batch, shape, format, type); }

std::optional<Format> format_of(const memory::desc& desc, std::int64_t batch,
                                const ImageShape& shape, memory::data_type type) {
  for (const Format format :
       {Format::kPlain, Format::kChannelsLast, Format::kBlocks16, Format::kBlocks8}) {
    if (desc == describe(batch, shape, format, type)) return format;
  }
  return std::nullopt;
}

bool same_memory(Format a, Format b, const ImageShape& shape) {
  if (is_padded(a, shape.channels) || is_padded(b, shape.channels)) return a == b;
  const bool one_pixel = shape.height * shape.width == 1;
  return one_pixel || block_size(a, shape.channels) == block_size(b, shape.channels);
}

}  // namespace yoke::compiled
