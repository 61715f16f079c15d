#include "yoke/engine/compiled/layers/narrow_convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "yoke/engine/compiled/kernels/add.h"
#include "yoke/engine/compiled/kernels/patches.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// The product of some images.
struct Part {
  std::int64_t first, images;
  dnnl::matmul product;
  memory gradient;
  std::unordered_map<int, memory> arguments;
};

class Product {
 public:
  Product(Builder& builder, const Convolution& layer, const Tensor& input, const Tensor& gradient);
  void run(bool accumulate);
  const std::string& code() const { return code_; }

 private:
  Part part(Builder& builder, std::int64_t first, std::int64_t images);
  float* floats(const Buffer* buffer) const { return reinterpret_cast<float*>(buffer->data); }

  PatchGeometry geometry_;
  std::int64_t channels_;
  Tensor input_, gradient_;
  dnnl::stream stream_;
  Buffer *patches_, *sum_, *aside_;  // fp32 [taps + 1, channels] but for the patches
  std::vector<Part> parts_;
  std::vector<GradientTarget> targets_;  // of the weight, and of the bias where there is one
  std::string code_;
};

Product::Product(Builder& builder, const Convolution& layer, const Tensor& input,
                 const Tensor& gradient)
    : geometry_(patch_geometry(layer)),
      channels_(layer.output_shape.channels),
      input_(builder.converted(input, Format::kPlain, memory::data_type::bf16)),
      gradient_(builder.use(gradient)),
      stream_(builder.workspace().stream) {
  constexpr std::size_t kCached = 512 << 10;  // bytes of patches: a part of an L2 cache
  const auto per_image = patch_bytes(geometry_, 1);
  const std::int64_t images =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(kCached / per_image), 1, builder.batch());
  const auto product_bytes = static_cast<std::size_t>(geometry_.rows() * channels_) * sizeof(float);
  patches_ = builder.buffer(patch_bytes(geometry_, images));
  sum_ = builder.buffer(product_bytes);
  aside_ = builder.buffer(product_bytes);
  for (Buffer* const buffer : {patches_, sum_, aside_}) builder.touch(buffer);
  for (std::int64_t first = 0; first < builder.batch(); first += images) {
    parts_.push_back(part(builder, first, std::min(images, builder.batch() - first)));
  }
  // The product's transpose is what the weights are in LibTorch.
  const std::int64_t height = layer.kernel[2], width = layer.kernel[3];
  const memory::desc transposed(
      layer.kernel, memory::data_type::f32,
      memory::dims{1, height * width * channels_, width * channels_, channels_});
  targets_.push_back(builder.gradient_of(layer.weight, layer.kernel, transposed));
  if (layer.bias) {
    targets_.push_back(builder.gradient_of(*layer.bias, {channels_}, contiguous_desc({channels_})));
  }
}

Part Product::part(Builder& builder, std::int64_t first, std::int64_t images) {
  const std::int64_t windows = images * geometry_.windows();
  const auto bf16 = memory::data_type::bf16;
  const memory::desc a({geometry_.rows(), windows}, bf16, memory::dims{windows, 1});
  const memory::desc b({windows, channels_}, bf16, memory::dims{channels_, 1});
  const memory::desc c({geometry_.rows(), channels_}, memory::data_type::f32,
                       memory::dims{channels_, 1});
  const auto description = onednn::matmul(builder.engine(), a, b, c);
  code_ = description.impl_info_str();
  const memory gradient(b, builder.engine(), nullptr);
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, builder.memory(a, patches_)},
      {DNNL_ARG_WEIGHTS, gradient},
      {DNNL_ARG_DST, builder.memory(c, first == 0 ? sum_ : aside_)}};
  if (const auto scratchpad = description.scratchpad_desc(); scratchpad.get_size() > 0) {
    arguments[DNNL_ARG_SCRATCHPAD] =
        builder.memory(scratchpad, builder.buffer(scratchpad.get_size()));
  }
  return {first, images, dnnl::matmul(description), gradient, std::move(arguments)};
}

void Product::run(bool accumulate) {
  const std::int64_t count = geometry_.rows() * channels_;
  for (Part& part : parts_) {
    gather_patches(input_.data<std::uint16_t>() + part.first * geometry_.image.elements(),
                   part.images, geometry_, reinterpret_cast<std::uint16_t*>(patches_->data));
    part.gradient.set_data_handle(gradient_.data<std::uint16_t>() +
                                  part.first * geometry_.windows() * channels_);
    part.product.execute(stream_, part.arguments);
    if (part.first > 0) add_to(floats(aside_), count, floats(sum_));
  }
  const float* from = floats(sum_);
  for (const GradientTarget& target : targets_) {
    const memory& to = target.memory(accumulate);
    const std::size_t bytes = to.get_desc().get_size();
    std::memcpy(to.get_data_handle(), from, bytes);
    target.finish(accumulate, stream_);
    from += bytes / sizeof(float);
  }
}

}  // namespace

bool is_narrow(const Convolution& layer, const Tensor& gradient) {
  constexpr std::int64_t kFewChannels = 4;
  return layer.kernel.size() == 4 && layer.input_shape.channels <= kFewChannels &&
         gradient.is_bf16() && gradient.format == Format::kChannelsLast;
}

void plan_narrow_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                 const Tensor& gradient) {
  const auto product = std::make_shared<Product>(builder, layer, input, gradient);
  Step& step = builder.add(fmt::format("weight gradient (matmul {})", product->code()),
                           [product](const MicroBatch& micro) { product->run(micro.accumulate); });
  step.primitive = true;
  step.flops = layer.flops() * static_cast<double>(builder.batch());
}

}  // namespace yoke::compiled
