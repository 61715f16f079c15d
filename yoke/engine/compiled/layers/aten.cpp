#include "yoke/engine/compiled/layers/aten.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/autograd.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <set>

#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/builder.h"

namespace yoke::compiled {
namespace {

constexpr auto kFp32 = dnnl::memory::data_type::f32;

/// The format in which what has this order lies as LibTorch has it.
Format format_in(Order order) {
  return order == Order::kChannelsLast ? Format::kChannelsLast : Format::kPlain;
}

/// Where an input is when the region is run.
struct Source {
  Tensor flowing;        // of a value
  dnnl::memory learned;  // of a parameter
  torch::Tensor kept;    // a buffer
  std::vector<std::int64_t> sizes;
  bool wants_gradient = false;

  /// It, where it lies.
  torch::Tensor tensor() const {
    if (kept.defined()) return kept;
    void* const data = learned ? learned.get_data_handle() : flowing.buffer->data;
    return torch::from_blob(data, sizes, torch::kFloat32).requires_grad_(wants_gradient);
  }
};

/// Where the gradient of an input goes.
struct Gradient {
  std::size_t input = 0;
  Tensor flowing;          // of a value
  GradientTarget learned;  // of a parameter
  bool is_learned = false;

  void take(const torch::Tensor& gradient, std::int64_t elements, const MicroBatch& micro,
            dnnl::stream& stream) const {
    auto* const to = is_learned
                         ? static_cast<float*>(learned.memory(micro.accumulate).get_data_handle())
                         : flowing.data<float>();
    if (gradient.defined()) {
      std::copy_n(gradient.contiguous().data_ptr<float>(), elements, to);
    } else {
      std::fill_n(to, elements, 0.0F);
    }
    if (is_learned) learned.finish(micro.accumulate, stream);
  }
};

/// A region for one batch size, with what its forward pass of each part of the batch leaves for the
/// backward pass.
class RegionRun {
 public:
  RegionRun(const AtenRegion& region, std::int64_t images, std::int64_t parts)
      : code_(region.graph_for(images), "region"),
        copies_(region.changes_arguments()),
        left_(static_cast<std::size_t>(parts)) {}

  void forward(const std::vector<Source>& sources, bool with_gradient, const Tensor& result,
               std::int64_t part) {
    const torch::AutoGradMode mode(with_gradient);
    Left left;
    torch::jit::Stack stack;
    for (const Source& source : sources) {
      left.inputs.push_back(source.tensor());
      stack.emplace_back(copies_ ? left.inputs.back().clone() : left.inputs.back());
    }
    torch::jit::InterpreterState(code_).run(stack);
    left.output = stack.front().toTensor();
    const auto contiguous = left.output.detach().contiguous();
    std::copy_n(contiguous.data_ptr<float>(), contiguous.numel(), result.data<float>());
    left_[static_cast<std::size_t>(part)] = with_gradient ? std::move(left) : Left{};
  }

  /// Of the inputs that `gradients` say; each is undefined where the result does not depend on it.
  std::vector<torch::Tensor> backward(const std::vector<Gradient>& gradients,
                                      const Tensor& of_result, std::int64_t part) {
    const Left left = std::exchange(left_[static_cast<std::size_t>(part)], {});
    std::vector<torch::Tensor> wanted;
    for (const Gradient& gradient : gradients) wanted.push_back(left.inputs[gradient.input]);
    std::vector<torch::Tensor> found(wanted.size());
    if (left.output.requires_grad()) {
      const auto given =
          torch::from_blob(of_result.data<float>(), left.output.sizes(), torch::kFloat32);
      found = torch::autograd::grad({left.output}, wanted, {given}, c10::nullopt, false,
                                    /*allow_unused=*/true);
    }
    return found;
  }

 private:
  struct Left {
    std::vector<torch::Tensor> inputs;
    torch::Tensor output;
  };

  const torch::jit::Code code_;
  const bool copies_;
  std::vector<Left> left_;  // by part
};

class AtenPlan final : public LayerPlan {
 public:
  explicit AtenPlan(const AtenLayer& layer) : layer_(layer) {}
  void forward(Builder& builder) override;
  void backward(Builder& builder) override;

 private:
  Source source_of(Builder& builder, const AtenInput& input) const;
  Gradient gradient_of(Builder& builder, std::size_t input) const;
  /// Touches the values that it reads, for the step that is added next.
  void use_sources(Builder& builder) const {
    for (const Source& source : sources_) {
      if (source.flowing.buffer != nullptr) builder.use(source.flowing);
    }
  }

  const AtenLayer& layer_;
  std::vector<Source> sources_;
  std::shared_ptr<RegionRun> run_;
};

Source AtenPlan::source_of(Builder& builder, const AtenInput& input) const {
  Source source;
  if (const auto* const flowing = std::get_if<AtenInput::Flowing>(&input.source)) {
    source.flowing =
        builder.converted(builder.tensor(flowing->value), format_in(flowing->order), kFp32);
    source.sizes = AtenRegion::sizes_for(input.sizes, builder.batch());
    source.wants_gradient = builder.wants_gradient(flowing->value);
  } else if (const auto* const learned = std::get_if<AtenInput::Learned>(&input.source)) {
    const auto& slice = builder.workspace().weights.parameters().slices()[static_cast<std::size_t>(
        learned->parameter)];
    source.learned =
        builder.weights(learned->parameter, {slice.elements}, contiguous_desc({slice.elements}));
    source.sizes = input.sizes;
    source.wants_gradient = learned->learns;
  } else {
    source.kept = std::get<torch::Tensor>(input.source);
  }
  return source;
}

void AtenPlan::forward(Builder& builder) {
  for (const AtenInput& input : layer_.region.inputs) {
    sources_.push_back(source_of(builder, input));
  }
  run_ = std::make_shared<RegionRun>(layer_.region, builder.batch(), builder.parts());
  const Tensor result = builder.define(layer_.output, format_in(layer_.order), kFp32);
  use_sources(builder);
  const bool with_gradient = builder.training() && builder.wants_gradient(layer_.output);
  builder.add(fmt::format("{} (ATen)", layer_.region.operators.back()),
              [run = run_, sources = sources_, with_gradient, result](const MicroBatch& micro) {
                run->forward(sources, with_gradient, result, micro.part);
              });
}

Gradient AtenPlan::gradient_of(Builder& builder, std::size_t input) const {
  const auto& source = layer_.region.inputs[input].source;
  Gradient gradient{.input = input, .flowing = {}, .learned = {}, .is_learned = false};
  if (const auto* const flowing = std::get_if<AtenInput::Flowing>(&source)) {
    gradient.flowing = builder.contribute(flowing->value, format_in(flowing->order), kFp32);
  } else {
    const auto id = std::get<AtenInput::Learned>(source).parameter;
    const std::int64_t elements =
        builder.workspace().weights.parameters().slices()[static_cast<std::size_t>(id)].elements;
    gradient.learned = builder.gradient_of(id, {elements}, contiguous_desc({elements}));
    gradient.is_learned = true;
  }
  return gradient;
}

void AtenPlan::backward(Builder& builder) {
  const Tensor of_result =
      builder.converted(builder.gradient(layer_.output), format_in(layer_.order), kFp32);
  std::vector<Gradient> gradients;
  std::vector<std::int64_t> elements;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i].wants_gradient) continue;
    gradients.push_back(gradient_of(builder, i));
    elements.push_back(c10::multiply_integers(sources_[i].sizes));
  }
  use_sources(builder);
  builder.use(of_result);
  builder.add(fmt::format("{} gradient (ATen)", layer_.region.operators.back()),
              [run = run_, gradients = std::move(gradients), elements = std::move(elements),
               of_result, &stream = builder.workspace().stream](const MicroBatch& micro) {
                const auto found = run->backward(gradients, of_result, micro.part);
                for (std::size_t i = 0; i < gradients.size(); ++i) {
                  gradients[i].take(found[i], elements[i], micro, stream);
                }
              });
}

template <typename Predicate>
bool any_parameter(const AtenRegion& region, const Predicate& predicate) {
  return std::any_of(region.inputs.begin(), region.inputs.end(), [&](const AtenInput& input) {
    const auto* const learned = std::get_if<AtenInput::Learned>(&input.source);
    return learned != nullptr && predicate(*learned);
  });
}

}  // namespace

bool AtenLayer::has_parameters() const {
  return any_parameter(region, [](const AtenInput::Learned&) { return true; });
}

bool AtenLayer::learns_any() const {
  return any_parameter(region,
                       [](const AtenInput::Learned& parameter) { return parameter.learns; });
}

std::unique_ptr<LayerPlan> AtenLayer::plan() const { return std::make_unique<AtenPlan>(*this); }

void check_regions(const LayerGraph& graph) {
  if (!graph.refused.empty() && graph.flops() == 0) throw UnsupportedModel(graph.refused);
  for (const auto& layer : graph.layers) {
    const auto* const by_aten = dynamic_cast<const AtenLayer*>(layer.get());
    if (by_aten == nullptr || keeps_images_apart(by_aten->region)) continue;
    throw UnsupportedModel(fmt::format(
        "the model does not compile: {} gives an image something else when others are beside it; "
        "use --engine eager, which runs any model",
        fmt::join(by_aten->region.operators, ", ")));
  }
}

std::string operators_by_aten(const LayerGraph& graph) {
  std::set<std::string> names;
  for (const auto& layer : graph.layers) {
    const auto* const by_aten = dynamic_cast<const AtenLayer*>(layer.get());
    if (by_aten == nullptr) continue;
    for (const auto& name : by_aten->region.operators)
      names.insert(name.substr(name.rfind(':') + 1));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace yoke::compiled
