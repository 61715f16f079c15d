#include "yoke/engine/compiled/layers/winograd_choice.h"

#include <algorithm>
#include <string_view>

#include "yoke/engine/compiled/layers/winograd_blocks.h"

namespace yoke::compiled {

using dnnl::memory;

namespace {

/// Whether oneDNN has fast code here for the products.
bool has_fast_products(const Builder& builder, const Convolution& layer) {
  const WinogradKernel kernel = filled_kernel(layer.kernel);
  const auto [out, in, taps] = kernel;
  const std::int64_t products = winograd_products(taps);
  const std::int64_t tiles = tile_blocks(builder.batch(), layer.output_shape, kernel).size;
  const auto type = type_of_tiles(builder.type(), taps);
  const auto found = onednn::matmul(builder.engine(), matrix_stack(products, tiles, in, type),
                                    matrix_stack(products, in, out, type),
                                    matrix_stack(products, tiles, out, memory::data_type::f32));
  return std::string_view(found.impl_info_str()).find("ref") == std::string_view::npos;
}

/// As so many products, measured: what a tile's transforms take for a channel of the input and of
/// the output, and for a pair of channels the transform of weights in a step, and, in each run of
/// it, reading them and the transform of their gradient.
struct TileCost {
  double input, output, step, run;
};

TileCost tile_cost(ConvolutionWay way, std::int64_t taps) {
  const bool narrow = way == ConvolutionWay::kNarrowWinograd;
  if (taps == 3) return {narrow ? 500.0 : 400.0, narrow ? 150.0 : 400.0, 1000, 600};
  return {narrow ? 1000.0 : 450.0, narrow ? 180.0 : 450.0, 1750, 900};
}

}  // namespace

ConvolutionWay way_by_tiles(const Convolution& layer) {
  using enum ConvolutionWay;
  const auto is = [](const memory::dims& both, std::int64_t value) {
    return both[0] == value && both[1] == value;
  };
  if (layer.kernel.size() != 4) return kDirect;
  const auto [outputs, inputs, taps] = winograd_kernel(layer.kernel);
  const auto& [strides, dilation, before, after] = layer.windows;
  if ((taps != 3 && taps != 5) || layer.kernel[3] != taps || outputs % kWinogradChannels != 0 ||
      !is(strides, 1) || !is(dilation, 0) || before[0] >= taps || before[1] >= taps) {
    return kDirect;
  }
  return inputs == 1 || inputs == 3 ? kNarrowWinograd : kWinograd;
}

bool has_winograd(const LayerGraph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [](const auto& layer) {
    const auto* const convolution = dynamic_cast<const Convolution*>(layer.get());
    return convolution != nullptr && way_by_tiles(*convolution) != ConvolutionWay::kDirect;
  });
}

bool winograd_pays(const Convolution& layer, std::int64_t images, std::int64_t runs,
                   memory::data_type type) {
  // In fp32 products of two numbers, for an image; vectors of bf16 numbers have two for one.
  const auto in_fp32 = [](memory::data_type numbers, double products) {
    return numbers == memory::data_type::bf16 ? products / 2 : products;
  };
  const ConvolutionWay way = way_by_tiles(layer);
  const bool narrow = way == ConvolutionWay::kNarrowWinograd;
  const auto [outputs, inputs, taps] =
      narrow ? winograd_kernel(layer.kernel) : filled_kernel(layer.kernel);
  const ImageShape& shape = layer.output_shape;
  const auto pairs = static_cast<double>(inputs * outputs);
  const double direct = in_fp32(type, static_cast<double>(taps * taps * shape.height * shape.width *
                                                          layer.kernel[1] * outputs));
  const TileCost cost = tile_cost(way, taps);
  const auto tiles_in = narrow ? memory::data_type::f32 : type_of_tiles(type, taps);
  const double tile = in_fp32(tiles_in, static_cast<double>(winograd_products(taps)) * pairs) +
                      cost.input * static_cast<double>(inputs) +
                      cost.output * static_cast<double>(outputs);
  const WinogradTiles grid{shape.height, shape.width, taps};
  const double winograd =
      static_cast<double>(grid.per_image()) * tile +
      (cost.step / static_cast<double>(runs) + cost.run) * pairs / static_cast<double>(images);
  return winograd < direct;
}

ConvolutionWay way_of(const Builder& builder, const Convolution& layer,
                      const dnnl::convolution_forward::primitive_desc& directly) {
  using enum ConvolutionWay;
  const ConvolutionAlgorithm asked = builder.options().convolution;
  const ConvolutionWay way = way_by_tiles(layer);
  if (asked == ConvolutionAlgorithm::kDirect || way == kDirect) return kDirect;
  if (asked == ConvolutionAlgorithm::kWinograd) return way;
  const bool pays = !uses_matrix_unit(directly) &&
                    winograd_pays(layer, builder.batch(), builder.runs(), builder.type()) &&
                    (way == kNarrowWinograd || has_fast_products(builder, layer));
  return pays ? way : kDirect;
}

}  // namespace yoke::compiled
