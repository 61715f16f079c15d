// yoke/engine/compiled/layers/dropout.cpp: dropout (Srivastava et al. 2014) of elements, of
// channels, or of all of an image: stochastic depth (Huang et al. 2016).
#include "yoke/engine/compiled/layers/dropout.h"

#include <algorithm>

#include "yoke/core/random.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/kernels/dropout.h"

namespace yoke::compiled {
namespace {

struct Dropout final : Layer {
  double probability = 0;
  enum class Unit { kElement, kChannel, kImage } unit = Unit::kElement;  // dropped together
  std::uint32_t number = 0;  // of the network's dropouts, in the order in which they run

  std::string kind() const override { return "dropout"; }
  std::unique_ptr<LayerPlan> plan() const override;
};

class DropoutPlan final : public LayerPlan {
 public:
  explicit DropoutPlan(const Dropout& layer) : layer_(layer) {}

  void forward(Builder& builder) override {
    Tensor src = builder.use(builder.tensor(layer_.inputs[0]));
    // Features are one channel of many pixels: four of them to a counter.
    if (src.area() == 1) src = builder.converted(src, Format::kPlain, src.type);
    dst_ = builder.define(layer_.output, src.format, src.type);
    keep_ = builder.buffer(static_cast<std::size_t>(dst_.elements()));
    builder.add("dropout", [&layer = layer_, src, dst = dst_, keep = keep_,
                            scale = scale()](const MicroBatch& micro) {
      draw(layer, micro, src, bytes(keep));
      apply_dropout(src, bytes(keep), scale, dst);
    });
  }

  void backward(Builder& builder) override {
    const Tensor gradient =
        builder.converted(builder.gradient(layer_.output), dst_.format, dst_.type);
    const Tensor result = builder.contribute(layer_.inputs[0], dst_.format, dst_.type);
    builder.use(gradient);
    builder.touch(keep_);
    builder.add("dropout gradient",
                [gradient, result, keep = keep_, scale = scale()](const MicroBatch&) {
                  apply_dropout(gradient, bytes(keep), scale, result);
                });
  }

 private:
  float scale() const { return static_cast<float>(1 / (1 - layer_.probability)); }
  static std::uint8_t* bytes(const Buffer* buffer) {
    return reinterpret_cast<std::uint8_t*>(buffer->data);
  }
  static ImageLayout layout_of(const Tensor& tensor) {
    if (tensor.area() == 1) return {1, tensor.shape.channels, 1};
    return {tensor.shape.channels, tensor.area(), tensor.block()};
  }
  static void draw(const Dropout& layer, const MicroBatch& micro, const Tensor& tensor,
                   std::uint8_t* keep);

  const Dropout& layer_;
  Tensor dst_;
  Buffer* keep_ = nullptr;  // uint8, in the order of dst_
};

/// Gives all pixels of a channel what was drawn for the channel.
void spread(const std::vector<std::uint8_t>& channels, const ImageLayout& layout,
            std::uint8_t* keep) {
  for (std::int64_t i = 0; i < layout.elements(); ++i) {
    const std::int64_t block = i / (layout.area * layout.block);
    const std::int64_t channel = block * layout.block + i % layout.block;
    keep[i] = channel < layout.channels ? channels[static_cast<std::size_t>(channel)] : 0;
  }
}

void DropoutPlan::draw(const Dropout& layer, const MicroBatch& micro, const Tensor& tensor,
                       std::uint8_t* keep) {
  const auto& [seed, step] = micro.key;
  DropoutKey key{
      .stream = stream_seed(seed, 0, static_cast<std::uint64_t>(step), Purpose::kDropout),
      .layer = layer.number,
      .image = 0};
  const ImageLayout layout = layout_of(tensor);
  for (std::int64_t n = 0; n < tensor.batch; ++n, keep += layout.elements()) {
    key.image = static_cast<std::uint32_t>(micro.first_image + n);
    if (layer.unit == Dropout::Unit::kElement) {
      draw_kept(key, layer.probability, layout, keep);
      continue;
    }
    if (layer.unit == Dropout::Unit::kImage) {
      std::uint8_t kept = 0;
      draw_kept(key, layer.probability, {1, 1, 1}, &kept);
      std::fill_n(keep, layout.elements(), kept);
      continue;
    }
    std::vector<std::uint8_t> channels(static_cast<std::size_t>(tensor.shape.channels));
    draw_kept(key, layer.probability, {1, tensor.shape.channels, 1}, channels.data());
    spread(channels, layout, keep);
  }
}

std::unique_ptr<LayerPlan> Dropout::plan() const { return std::make_unique<DropoutPlan>(*this); }

/// Adds what drops parts of `input`, in units of `unit`.
void add_dropout(Lowering& lowering, ValueId input, Order order, double probability,
                 Dropout::Unit unit) {
  if (probability >= 1) lowering.unsupported("it drops everything");
  auto layer = std::make_unique<Dropout>();
  layer->probability = probability;
  layer->unit = unit;
  layer->number = lowering.next_dropout();
  lowering.add(std::move(layer), {input});
  lowering.show(order);
}

const ImageNoise* find_noise(Lowering& lowering, std::size_t i) {
  const auto& inputs = lowering.node().inputs();
  if (i >= inputs.size()) return nullptr;
  const auto found = lowering.noises().find(inputs[i]);
  return found == lowering.noises().end() ? nullptr : &found->second;
}

/// Whether the node's result has one number for each image.
bool is_one_each(const Lowering& lowering) {
  const auto sizes = lowering.output_sizes();
  return std::all_of(sizes.begin() + 1, sizes.end(), [](std::int64_t size) { return size == 1; });
}

/// aten::mul(input, noise) and aten::mul(noise, input)
void lower_noisy_product(Lowering& lowering, std::size_t input, const ImageNoise& noise) {
  if (!noise.divided) lowering.unsupported("its noise is not divided by the share that is kept");
  const ValueId value = lowering.value_in_any_order(input);
  const Order order = lowering.order_of(input);
  if (noise.keep == 1) return lowering.alias(value, order);
  add_dropout(lowering, value, order, 1 - noise.keep, Dropout::Unit::kImage);
}

}  // namespace

// aten::empty(size, ...), aten::bernoulli(noise, p, generator), aten::div(noise, keep)
bool lower_image_noise(Lowering& lowering) {
  const std::string op = lowering.op();
  ImageNoises& noises = lowering.noises();
  const auto* const result =
      lowering.node().outputs().size() == 1 ? lowering.node().output() : nullptr;
  if (op == "aten::empty" || op == "aten::new_empty") return is_one_each(lowering);
  if (op == "aten::bernoulli" && lowering.is_in_place() && is_one_each(lowering)) {
    noises[result] = {.keep = lowering.number(1)};
    return true;
  }
  const ImageNoise* const first = find_noise(lowering, 0);
  if (op == "aten::div" && first != nullptr && lowering.number(1) == first->keep) {
    noises[result] = {.keep = first->keep, .divided = true};
    return true;
  }
  const ImageNoise* const second = find_noise(lowering, 1);
  if (op != "aten::mul" || (first == nullptr) == (second == nullptr)) return false;
  lower_noisy_product(lowering, first == nullptr ? 0 : 1, first == nullptr ? *second : *first);
  return true;
}

// aten::dropout(input, p, train), aten::feature_dropout(input, p, train)
void lower_dropout(Lowering& lowering) {
  const double probability = lowering.number(1);
  const ValueId input = lowering.value_in_any_order(0);
  const Order order = lowering.order_of(0);
  if (!lowering.flag(2) || probability == 0) {
    lowering.alias(input, order);
    return;
  }
  Dropout::Unit unit = Dropout::Unit::kElement;
  if (lowering.op() == "aten::feature_dropout") {
    unit = order == Order::kBehindOne ? Dropout::Unit::kImage : Dropout::Unit::kChannel;
    if (order == Order::kChannelsLast || lowering.shape_of(input).flat) {
      lowering.unsupported("its input has no channels in dimension 1");
    }
  }
  add_dropout(lowering, input, order, probability, unit);
}

}  // namespace yoke::compiled
