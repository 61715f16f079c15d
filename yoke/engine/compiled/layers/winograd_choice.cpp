#include "yoke/engine/compiled/layers/winograd_choice.h"

#include <algorithm>
#include <string_view>

#include "yoke/engine/compiled/layers/winograd_blocks.h"

namespace yoke::compiled {

using dnnl::memory;

namespace {

/// Whether oneDNN has fast code here for the products.
bool has_fast_products(const dnnl::engine& engine, const Convolution& layer, std::int64_t images) {
  const std::int64_t out = layer.kernel[0], in = layer.kernel[1];
  const std::int64_t tiles = tile_blocks(images, layer.output_shape, in, out).size;
  const auto found = onednn::matmul(engine, matrix_stack(tiles, in), matrix_stack(in, out),
                                    matrix_stack(tiles, out));
  return std::string_view(found.impl_info_str()).find("ref") == std::string_view::npos;
}

}  // namespace

bool allows_winograd(const Convolution& layer) {
  const auto is = [](const memory::dims& both, std::int64_t value) {
    return both[0] == value && both[1] == value;
  };
  return layer.kernel.size() == 4 && layer.kernel[2] == 3 && layer.kernel[3] == 3 &&
         layer.kernel[0] % kWinogradChannels == 0 && layer.kernel[1] % kWinogradChannels == 0 &&
         is(layer.windows.strides, 1) && is(layer.windows.dilation, 0) &&
         layer.windows.padding_left[0] <= 2 && layer.windows.padding_left[1] <= 2;
}

bool has_winograd(const LayerGraph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [](const auto& layer) {
    const auto* const convolution = dynamic_cast<const Convolution*>(layer.get());
    return convolution != nullptr && allows_winograd(*convolution);
  });
}

bool winograd_pays(const Convolution& layer, std::int64_t images, memory::data_type type) {
  // In fp32 products of two numbers, for an image. What a transform of a tile costs for a channel,
  // and what transforming and reading weights costs for a pair of channels, is measured; vectors of
  // bf16 numbers have two products for one.
  constexpr double kTransform = 400, kWeights = 3000;
  const auto in = static_cast<double>(layer.input_shape.channels);
  const auto out = static_cast<double>(layer.output_shape.channels);
  const ImageShape& shape = layer.output_shape;
  const auto tiles = static_cast<double>(WinogradTiles{shape.height, shape.width}.per_image());
  const double direct = 9 * static_cast<double>(shape.height * shape.width) * in * out /
                        (type == memory::data_type::bf16 ? 2 : 1);
  const double winograd = tiles * (kWinogradProducts * in * out + kTransform * (in + out)) +
                          kWeights * in * out / static_cast<double>(images);
  return winograd < direct;
}

bool takes_winograd(const Builder& builder, const Convolution& layer,
                    const dnnl::convolution_forward::primitive_desc& directly) {
  const ConvolutionAlgorithm asked = builder.options().convolution;
  if (asked == ConvolutionAlgorithm::kDirect || !allows_winograd(layer)) return false;
  if (asked == ConvolutionAlgorithm::kWinograd) return true;
  return !uses_matrix_unit(directly) && winograd_pays(layer, builder.batch(), builder.type()) &&
         has_fast_products(builder.engine(), layer, builder.batch());
}

}  // namespace yoke::compiled
