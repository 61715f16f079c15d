#include "yoke/engine/compiled/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// softmax(factor * Q K') V for each head (Vaswani et al. 2017, equation 1). Q, K and V, each of
/// all heads, are three inputs, or thirds of the channels of one.
struct Attention final : Layer {
  std::array<std::int64_t, 3> thirds{};  ///< Of one input: which of them Q, K and V are.
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

  /// Q, K or V where it lies, or its gradient.
  struct Part {
    Tensor tensor;
    std::int64_t part, parts;
  };

  /// Q, K and V of `tensors`, which are one for each input.
  std::array<Part, 3> parts_of(const std::vector<Tensor>& tensors) const;
  Matrices matrices(Builder& builder, std::int64_t columns) const;
  static Matrices transposed(const Matrices& matrices);
  memory::desc part_desc(const Part& part) const;
  memory::desc heads_desc() const;
  Matrices taken(Builder& builder, const Part& part) const;
  void put(Builder& builder, const Matrices& from, const Part& part) const;
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

std::array<AttentionPlan::Part, 3> AttentionPlan::parts_of(
    const std::vector<Tensor>& tensors) const {
  if (tensors.size() == 3) return {{{tensors[0], 0, 1}, {tensors[1], 0, 1}, {tensors[2], 0, 1}}};
  const auto& [queries, keys, values] = layer_.thirds;
  return {{{tensors[0], queries, 3}, {tensors[0], keys, 3}, {tensors[0], values, 3}}};
}

memory::desc AttentionPlan::part_desc(const Part& part) const {
  const std::int64_t channels = part.tensor.shape.channels, of_head = layer_.head_channels;
  const memory::desc all({batch_, part.parts * layer_.heads, layer_.pixels, of_head}, type_,
                         memory::dims{layer_.pixels * channels, of_head, channels, 1});
  return all.submemory_desc({batch_, layer_.heads, layer_.pixels, of_head},
                            {0, part.part * layer_.heads, 0, 0});
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

AttentionPlan::Matrices AttentionPlan::taken(Builder& builder, const Part& part) const {
  const Matrices result = matrices(builder, layer_.head_channels);
  reorder(builder, part_desc(part), part.tensor.buffer, heads_desc(), result.buffer);
  return result;
}

void AttentionPlan::put(Builder& builder, const Matrices& from, const Part& part) const {
  reorder(builder, heads_desc(), from.buffer, part_desc(part), part.tensor.buffer);
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
  std::vector<Tensor> inputs;
  for (const ValueId input : layer_.inputs) {
    inputs.push_back(builder.converted(builder.tensor(input), Format::kChannelsLast, type_));
  }
  const auto [queries, keys, values] = parts_of(inputs);
  queries_ = taken(builder, queries);
  keys_ = taken(builder, keys);
  values_ = taken(builder, values);
  probabilities_ = matrices(builder, layer_.pixels);
  multiply(builder, "attention scores", queries_, transposed(keys_), probabilities_, layer_.factor);
  softmax_ = onednn::softmax_forward(builder.engine(), probabilities_.desc);
  const auto in_place = builder.memory(probabilities_.desc, probabilities_.buffer);
  builder.execute(fmt::format("softmax ({})", softmax_.impl_info_str()),
                  dnnl::softmax_forward(softmax_), softmax_.scratchpad_desc(),
                  {{DNNL_ARG_SRC, in_place}, {DNNL_ARG_DST, in_place}});
  const Matrices mixed = matrices(builder, layer_.head_channels);
  multiply(builder, "attention", probabilities_, values_, mixed, 1);
  put(builder, mixed, {builder.define(layer_.output, Format::kChannelsLast, type_), 0, 1});
}

void AttentionPlan::backward(Builder& builder) {
  const Tensor given =
      builder.converted(builder.gradient(layer_.output), Format::kChannelsLast, type_);
  std::vector<Tensor> gradients;
  for (const ValueId input : layer_.inputs) {
    const bool wanted = builder.wants_gradient(input);
    gradients.push_back(
        wanted ? builder.contribute(input, Format::kChannelsLast, type_)
               : builder.temporary(builder.value(input).shape, Format::kChannelsLast, type_));
  }
  const auto [to_queries, to_keys, to_values] = parts_of(gradients);
  const Matrices mixed = taken(builder, {given, 0, 1});
  const auto gradient = [&](const std::string& name, const Part& to, const Matrices& a,
                            const Matrices& b, float factor) {
    const Matrices made = matrices(builder, layer_.head_channels);
    multiply(builder, name, a, b, made, factor);
    put(builder, made, to);
  };
  gradient("values gradient", to_values, transposed(probabilities_), mixed, 1);
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
  gradient("queries gradient", to_queries, scores, keys_, layer_.factor);
  gradient("keys gradient", to_keys, transposed(scores), queries_, layer_.factor);
}

std::unique_ptr<LayerPlan> Attention::plan() const {
  return std::make_unique<AttentionPlan>(*this);
}

/// Whether each is another third of the same value.
bool are_thirds_of_one(const std::vector<AttentionSource>& of) {
  std::set<std::int64_t> thirds;
  for (const AttentionSource& source : of) {
    if (source.value != of.front().value || source.parts != 3) return false;
    thirds.insert(source.part);
  }
  return thirds.size() == 3;
}

}  // namespace

void add_attention(Lowering& lowering, const AttentionPiece& piece) {
  const auto& [queries, keys, values] = std::tie(piece.of[0], piece.of[1], piece.of[2]);
  const auto [channels, height, pixels] = lowering.shape_of(queries.value).shape;
  auto layer = std::make_unique<Attention>();
  std::vector<ValueId> inputs = {queries.value, keys.value, values.value};
  if (are_thirds_of_one(piece.of)) {
    inputs.resize(1);
    std::ranges::transform(piece.of, layer->thirds.begin(), &AttentionSource::part);
  } else if (std::ranges::any_of(piece.of, [](const auto& from) { return from.parts != 1; })) {
    lowering.unsupported("queries, keys and values are not all three of the thirds of a value");
  }
  const std::int64_t of_all = channels / queries.parts;
  layer->heads = piece.heads;
  layer->head_channels = of_all / piece.heads;
  layer->pixels = pixels;
  layer->factor = static_cast<float>(piece.factor);
  lowering.add(std::move(layer), std::move(inputs), {{of_all, height, pixels}, false});
  lowering.show(Order::kChannelsLast);
}

}  // namespace yoke::compiled
