#include "yoke/engine/compiled/layers/attention.h"

#include <fmt/format.h>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/kernels/softmax.h"

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

  std::int64_t count() const { return batch_ * layer_.heads; }
  Matrices matrices(Builder& builder, std::int64_t columns, memory::data_type type) const;
  static Matrices transposed(const Matrices& matrices);
  /// Of the part of `tensor`, whose channels are `parts` times those of all heads.
  memory::desc part_desc(const Tensor& tensor, std::int64_t part, std::int64_t parts) const;
  memory::desc heads_desc() const;
  Matrices taken(Builder& builder, const Tensor& tensor, std::int64_t part,
                 std::int64_t parts) const;
  void put(Builder& builder, const Matrices& from, const Tensor& tensor, std::int64_t part,
           std::int64_t parts) const;
  void multiply(Builder& builder, const std::string& name, const Matrices& a, const Matrices& b,
                const Matrices& product) const;
  Matrices as(Builder& builder, const Matrices& from, memory::data_type type) const;
  void reorder(Builder& builder, const memory::desc& from, Buffer* from_buffer,
               const memory::desc& to, Buffer* to_buffer) const;

  const Attention& layer_;
  std::int64_t batch_ = 0;
  memory::data_type type_ = memory::data_type::f32;
  ImageShape shape_;
  Matrices queries_, keys_, values_, probabilities_;
};

AttentionPlan::Matrices AttentionPlan::matrices(Builder& builder, std::int64_t columns,
                                                memory::data_type type) const {
  const memory::desc desc({count(), layer_.pixels, columns}, type, memory::format_tag::abc);
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
  const Matrices result = matrices(builder, layer_.head_channels, type_);
  reorder(builder, part_desc(tensor, part, parts), tensor.buffer, heads_desc(), result.buffer);
  return result;
}

void AttentionPlan::put(Builder& builder, const Matrices& from, const Tensor& tensor,
                        std::int64_t part, std::int64_t parts) const {
  reorder(builder, heads_desc(), from.buffer, part_desc(tensor, part, parts), tensor.buffer);
}

AttentionPlan::Matrices AttentionPlan::as(Builder& builder, const Matrices& from,
                                          memory::data_type type) const {
  if (type_ == memory::data_type::f32) return from;
  const Matrices result = matrices(builder, layer_.pixels, type);
  reorder(builder, from.desc, from.buffer, result.desc, result.buffer);
  return result;
}

void AttentionPlan::multiply(Builder& builder, const std::string& name, const Matrices& a,
                             const Matrices& b, const Matrices& product) const {
  const auto description = onednn::matmul(builder.engine(), a.desc, b.desc, product.desc);
  builder
      .execute(fmt::format("{} (matmul {})", name, description.impl_info_str()),
               dnnl::matmul(description), description.scratchpad_desc(),
               {{DNNL_ARG_SRC, builder.memory(a.desc, a.buffer)},
                {DNNL_ARG_WEIGHTS, builder.memory(b.desc, b.buffer)},
                {DNNL_ARG_DST, builder.memory(product.desc, product.buffer)}})
      .flops = layer_.flops() / 2 * static_cast<double>(batch_);
}

float* numbers(const Buffer* buffer) { return reinterpret_cast<float*>(buffer->data); }

void AttentionPlan::forward(Builder& builder) {
  batch_ = builder.batch();
  type_ = builder.type();
  const Tensor src =
      builder.converted(builder.tensor(layer_.inputs[0]), Format::kChannelsLast, type_);
  shape_ = src.shape;
  queries_ = taken(builder, src, 0, 3);
  keys_ = taken(builder, src, 1, 3);
  values_ = taken(builder, src, 2, 3);
  const Matrices scores = matrices(builder, layer_.pixels, memory::data_type::f32);
  multiply(builder, "attention scores", queries_, transposed(keys_), scores);
  builder.touch(scores.buffer);
  builder.add("softmax", [scores = scores.buffer, rows = count() * layer_.pixels,
                          pixels = layer_.pixels, factor = layer_.factor](const MicroBatch&) {
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const row = numbers(scores) + i * pixels;
      for (std::int64_t j = 0; j < pixels; ++j) row[j] *= factor;
      softmax(row, pixels, false, row);
    }
  });
  probabilities_ = as(builder, scores, type_);
  const Matrices mixed = matrices(builder, layer_.head_channels, type_);
  multiply(builder, "attention", probabilities_, values_, mixed);
  put(builder, mixed, builder.define(layer_.output, Format::kChannelsLast, type_), 0, 1);
}

void AttentionPlan::backward(Builder& builder) {
  const auto f32 = memory::data_type::f32;
  const Tensor given =
      builder.converted(builder.gradient(layer_.output), Format::kChannelsLast, type_);
  const Tensor result = builder.contribute(layer_.inputs[0], Format::kChannelsLast, type_);
  const Matrices mixed = taken(builder, given, 0, 1);
  const auto gradient = [&](const std::string& name, std::int64_t part, const Matrices& a,
                            const Matrices& b) {
    const Matrices made = matrices(builder, layer_.head_channels, type_);
    multiply(builder, name, a, b, made);
    put(builder, made, result, part, 3);
  };
  gradient("values gradient", 2, transposed(probabilities_), mixed);
  const Matrices squares = matrices(builder, layer_.pixels, f32);
  multiply(builder, "probabilities gradient", mixed, transposed(values_), squares);
  const Matrices exact = as(builder, probabilities_, f32);
  builder.touch(exact.buffer);
  builder.touch(squares.buffer);
  builder.add("softmax gradient",
              [squares = squares.buffer, exact = exact.buffer, rows = count() * layer_.pixels,
               pixels = layer_.pixels, factor = layer_.factor](const MicroBatch&) {
                for (std::int64_t i = 0; i < rows; ++i) {
                  float* const row = numbers(squares) + i * pixels;
                  softmax_backward(numbers(exact) + i * pixels, row, pixels, false, row);
                  for (std::int64_t j = 0; j < pixels; ++j) row[j] *= factor;
                }
              });
  const Matrices scores = as(builder, squares, type_);
  gradient("queries gradient", 0, scores, keys_);
  gradient("keys gradient", 1, transposed(scores), queries_);
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
