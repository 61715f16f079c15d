#include "yoke/engine/compiled/layers/attention.h"

#include <fmt/format.h>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// softmax(factor * Q K') V for each head (Vaswani et al. 2017, equation 1), of values whose
/// channels are Q, K, V, each of all heads.
struct Attention final : Layer {
  std::int64_t heads = 1, head_channels = 1, pixels = 1;
  float factor = 1;

  std::string kind() const override { return "attention"; }
  double flops() const override {
    return 4 * static_cast<double>(heads * head_channels * pixels * pixels);
  }
  std::unique_ptr<LayerPlan> plan() const override;
};

class AttentionPlan final : public LayerPlan {
 public:
  explicit AttentionPlan(const Attention& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  /// A buffer, and how matrices of all heads of all images lie in it.
  struct Matrices {
    memory::desc desc;
    Buffer* buffer = nullptr;
  };

  Matrices matrices(Builder& builder, std::int64_t columns) const;
  static Matrices transposed(const Matrices& matrices);
  /// Of the part of `tensor`, whose channels are `parts` times those of all heads.
  memory::desc part_desc(const Tensor& tensor, std::int64_t part, std::int64_t parts) const;
  memory::desc heads_desc() const;
  Matrices taken(Builder& builder, const Tensor& tensor, std::int64_t part,
                 std::int64_t parts) const;
  void put(Builder& builder, const Matrices& from, const Tensor& tensor, std::int64_t part,
           std::int64_t parts) const;
  /// product = factor * a b.
  void multiply(Builder& builder, const std::string& name, const Matrices& a, const Matrices& b,
                const Matrices& product, float factor) const;
  void reorder(Builder& builder, const memory::desc& from, Buffer* from_buffer,
               const memory::desc& to, Buffer* to_buffer) const;

  const Attention& layer_;
  std::int64_t batch_ = 0;
  memory::data_type type_ = memory::data_type::f32;
  Matrices queries_, keys_, values_, probabilities_;
  dnnl::softmax_forward::primitive_desc softmax_;
};

AttentionPlan::Matrices AttentionPlan::matrices(Builder& builder, std::int64_t columns) const {
  const memory::desc desc({batch_ * layer_.heads, layer_.pixels, columns}, type_,
                          memory::format_tag::abc);
  return {desc, builder.buffer(desc.get_size())};
}

AttentionPlan::Matrices AttentionPlan::transposed(const Matrices& matrices) {
  return {matrices.desc.permute_axes({0, 2, 1}), matrices.buffer};
}

memory::desc AttentionPlan::heads_desc() const {
  return {
      {batch_, layer_.heads, layer_.pixels, layer_.head_channels}, type_, memory::format_tag::abcd};
}

memory::desc AttentionPlan::part_desc(const Tensor& tensor, std::int64_t part,
                                      std::int64_t parts) const {
  const std::int64_t channels = tensor.shape.channels, of_head = layer_.head_channels;
  const memory::desc all({batch_, parts * layer_.heads, layer_.pixels, of_head}, type_,
                         memory::dims{layer_.pixels * channels, of_head, channels, 1});
  return all.submemory_desc({batch_, layer_.heads, layer_.pixels, of_head},
                            {0, part * layer_.heads, 0, 0});
}

void AttentionPlan::reorder(Builder& builder, const memory::desc& from, Buffer* from_buffer,
                            const memory::desc& to, Buffer* to_buffer) const {
  const dnnl::reorder::primitive_desc description(builder.engine(), from, builder.engine(), to,
                                                  onednn::attributes());
  builder
      .execute(fmt::format("reorder ({})", description.impl_info_str()), dnnl::reorder(description),
               description.scratchpad_desc(),
               {{DNNL_ARG_FROM, builder.memory(from, from_buffer)},
                {DNNL_ARG_TO, builder.memory(to, to_buffer)}})
      .primitive = false;
}

AttentionPlan::Matrices AttentionPlan::taken(Builder& builder, const Tensor& tensor,
                                             std::int64_t part, std::int64_t parts) const {
  const Matrices result = matrices(builder, layer_.head_channels);
  reorder(builder, part_desc(tensor, part, parts), tensor.buffer, heads_desc(), result.buffer);
  return result;
}

void AttentionPlan::put(Builder& builder, const Matrices& from, const Tensor& tensor,
                        std::int64_t part, std::int64_t parts) const {
  reorder(builder, heads_desc(), from.buffer, part_desc(tensor, part, parts), tensor.buffer);
}

void AttentionPlan::multiply(Builder& builder, const std::string& name, const Matrices& a,
                             const Matrices& b, const Matrices& product, float factor) const {
  const onednn::Eltwise times{dnnl::algorithm::eltwise_linear, factor};
  const auto description = onednn::matmul(builder.engine(), a.desc, b.desc, product.desc,
                                          factor == 1 ? nullptr : &times);
  builder
      .execute(fmt::format("{} (matmul {})", name, description.impl_info_str()),
               dnnl::matmul(description), description.scratchpad_desc(),
               {{DNNL_ARG_SRC, builder.memory(a.desc, a.buffer)},
                {DNNL_ARG_WEIGHTS, builder.memory(b.desc, b.buffer)},
                {DNNL_ARG_DST, builder.memory(product.desc, product.buffer)}})
      .flops = layer_.flops() / 2 * static_cast<double>(batch_);
}

void AttentionPlan::forward(Builder& builder) {
  batch_ = builder.batch();
  type_ = builder.type();
  const Tensor src =
      builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast, type_);
  queries_ = taken(builder, src, 0, 3);
  keys_ = taken(builder, src, 1, 3);
  values_ = taken(builder, src, 2, 3);
  probabilities_ = matrices(builder, layer_.pixels);
  multiply(builder, "attention scores", queries_, transposed(keys_), probabilities_, layer_.factor);
  softmax_ = onednn::softmax_forward(builder.engine(), probabilities_.desc);
  const auto in_place = builder.memory(probabilities_.desc, probabilities_.buffer);
  builder.execute(fmt::format("softmax ({})", softmax_.impl_info_str()),
                  dnnl::softmax_forward(softmax_), softmax_.scratchpad_desc(),
                  {{DNNL_ARG_SRC, in_place}, {DNNL_ARG_DST, in_place}});
  const Matrices mixed = matrices(builder, layer_.head_channels);
  multiply(builder, "attention", probabilities_, values_, mixed, 1);
  put(builder, mixed, builder.define(layer_.output, Format::kChannelsLast, type_), 0, 1);
}

void AttentionPlan::backward(Builder& builder) {
  const Tensor given =
      builder.converted(builder.gradient(layer_.output), Format::kChannelsLast, type_);
  const Tensor result = builder.contribute(layer_.inputs[0], Format::kChannelsLast, type_);
  const Matrices mixed = taken(builder, given, 0, 1);
  const auto gradient = [&](const std::string& name, std::int64_t part, const Matrices& a,
                            const Matrices& b, float factor) {
    const Matrices made = matrices(builder, layer_.head_channels);
    multiply(builder, name, a, b, made, factor);
    put(builder, made, result, part, 3);
  };
  gradient("values gradient", 2, transposed(probabilities_), mixed, 1);
  const Matrices scores = matrices(builder, layer_.pixels);
  multiply(builder, "probabilities gradient", mixed, transposed(values_), scores, 1);
  const auto description =
      onednn::softmax_backward(builder.engine(), probabilities_.desc, softmax_);
  const auto in_place = builder.memory(scores.desc, scores.buffer);
  builder.execute(fmt::format("softmax gradient ({})", description.impl_info_str()),
                  dnnl::softmax_backward(description), description.scratchpad_desc(),
                  {{DNNL_ARG_DST, builder.memory(probabilities_.desc, probabilities_.buffer)},
                   {DNNL_ARG_DIFF_DST, in_place},
                   {DNNL_ARG_DIFF_SRC, in_place}});
  gradient("queries gradient", 0, scores, keys_, layer_.factor);
  gradient("keys gradient", 1, transposed(scores), queries_, layer_.factor);
}

std::unique_ptr<LayerPlan> Attention::plan() const {
  return std::make_unique<AttentionPlan>(*this);
}

}  // namespace

void add_attention(Lowering& lowering, const AttentionPiece& piece) {
  const auto [channels, height, pixels] = lowering.shape_of(piece.all).shape;
  auto layer = std::make_unique<Attention>();
  layer->heads = piece.heads;
  layer->head_channels = channels / 3 / piece.heads;
  layer->pixels = pixels;
  layer->factor = static_cast<float>(piece.factor);
  lowering.add(std::move(layer), {piece.all}, {{channels / 3, height, pixels}, false});
  lowering.show(Order::kChannelsLast);
}

}  // namespace yoke::compiled
