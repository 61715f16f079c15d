#include "yoke/engine/compiled/layers/winograd_choice.h"

#include <algorithm>
#include <string_view>

#include "yoke/engine/compiled/layers/winograd_blocks.h"

namespace yoke::compiled {

using dnnl::memory;

namespace {

/// Whether oneDNN has fast code here for the products.
bool has_fast_products(const dnnl::engine& engine, const Convolution& layer, std::int64_t images) {
  const WinogradKernel kernel = winograd_kernel(layer.kernel);
  const auto [out, in, taps] = kernel;
  const std::int64_t products = winograd_products(taps);
  const std::int64_t tiles = tile_blocks(images, layer.output_shape, kernel).size;
  const auto found =
      onednn::matmul(engine, matrix_stack(products, tiles, in), matrix_stack(products, in, out),
                     matrix_stack(products, tiles, out));
  return std::string_view(found.impl_info_str()).find("ref") == std::string_view::npos;
}

}  // namespace

bool allows_winograd(const Convolution& layer) {
  const auto is = [](const memory::dims& both, std::int64_t value) {
    return both[0] == value && both[1] == value;
  };
  if (layer.kernel.size() != 4) return false;
  const auto [outputs, inputs, taps] = winograd_kernel(layer.kernel);
  return (taps == 3 || taps == 5) && layer.kernel[3] == taps && outputs % kWinogradChannels == 0 &&
         inputs % kWinogradChannels == 0 && is(layer.windows.strides, 1) &&
         is(layer.windows.dilation, 0) && layer.windows.padding_left[0] < taps &&
         layer.windows.padding_left[1] < taps;
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
  const auto [outputs, inputs, taps] = winograd_kernel(layer.kernel);
  const double transform = taps == 3 ? 400 : 550, weights = taps == 3 ? 3000 : 5000;
  const ImageShape& shape = layer.output_shape;
  const WinogradTiles grid{shape.height, shape.width, taps};
  const auto tiles = static_cast<double>(grid.per_image());
  const auto pairs = static_cast<double>(inputs * outputs);
  const double direct = static_cast<double>(taps * taps * shape.height * shape.width) * pairs /
                        (type == memory::data_type::bf16 ? 2 : 1);
  const double winograd = tiles * (static_cast<double>(winograd_products(taps)) * pairs +
                                   transform * static_cast<double>(inputs + outputs)) +
                          weights * pairs / static_cast<double>(images);
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
