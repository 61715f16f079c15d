#include "yoke/engine/compiled/graph/aten_region.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "yoke/engine/compiled/graph/views.h"
#include "yoke/engine/trace_constants.h"

namespace yoke::compiled {
namespace {

using torch::jit::Node;
using JitValue = torch::jit::Value;

std::string_view name_of(const Node& node) { return node.kind().toQualString(); }

/// Operators whose argument 1 is the sizes of their result, images first.
bool is_given_sizes(const Node& node) {
  static constexpr std::array kNames = {"aten::view", "aten::reshape", "aten::expand",
                                        "aten::_unsafe_view", "aten::_reshape_alias"};
  return std::find(kNames.begin(), kNames.end(), name_of(node)) != kNames.end();
}

/// Of dropout(input, p, train), whether what it drops is none.
bool drops_nothing(const Node& node) {
  if (name_of(node).find("dropout") == std::string_view::npos || node.inputs().size() < 3) {
    return false;
  }
  return constant_number(*node.input(1)) == 0.0 || constant_flag(*node.input(2)) == false;
}

/// Gives the size that is of images, which may have become one with another, to `images`.
void scale(std::vector<std::int64_t>& sizes, std::int64_t images) {
  if (!sizes.empty() && sizes.front() == -1) return;  // found anew
  const auto of_images = std::find_if(sizes.begin(), sizes.end(), [](std::int64_t size) {
    return size > 0 && size % kTracedImages == 0;
  });
  if (of_images != sizes.end()) *of_images = *of_images / kTracedImages * images;
}

/// Writes new sizes into `node`, where these are constants.
void resize(torch::jit::Graph& graph, Node& node, std::int64_t images) {
  auto sizes = constant_integers(*node.input(1));
  if (!sizes) return;  // computed
  scale(*sizes, images);
  const torch::jit::WithInsertPoint before(&node);
  node.replaceInput(1, graph.insertConstant(*sizes));
}

/// Of fp32 at random, for the first `images` of those that `seed` stands for.
torch::Tensor random_input(const std::vector<std::int64_t>& sizes, std::uint64_t seed) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  return torch::randn(sizes, generator);
}

}  // namespace

bool AtenRegion::changes_arguments() const {
  const auto nodes = graph->nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node* node) { return changes_its_input(*node); });
}

TracedGraph AtenRegion::graph_for(std::int64_t images) const {
  const auto copy = graph->copy();
  for (Node* const node : copy->nodes()) {
    if (is_given_sizes(*node)) resize(*copy, *node, images);
  }
  return copy;
}

std::vector<std::int64_t> AtenRegion::sizes_for(std::vector<std::int64_t> sizes,
                                                std::int64_t images) {
  sizes.front() = images;
  return sizes;
}

std::string why_not_in_region(const Node& node) {
  const std::string_view name = name_of(node);
  if (!node.blocks().empty()) return "it branches";
  static constexpr std::array kDraws = {"dropout", "bernoulli",    "rand",        "normal_",
                                        "uniform", "aten::normal", "multinomial", "exponential_"};
  const bool draws = std::any_of(kDraws.begin(), kDraws.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
  if ((draws || node.isNondeterministic()) && !drops_nothing(node)) return "it draws numbers";
  if (name == "aten::batch_norm") return "its layers normalise over the batch";
  if (name == "aten::Bool" || name == "aten::item" || name == "aten::_local_scalar_dense") {
    return "it goes by numbers in tensors";
  }
  return "";
}

bool keeps_images_apart(const AtenRegion& region) {
  const torch::NoGradGuard no_grad;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    std::vector<torch::Tensor> inputs;
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
      const auto& [source, sizes] = region.inputs[i];
      if (const auto* const buffer = std::get_if<torch::Tensor>(&source)) {
        inputs.push_back(buffer->clone());
        continue;
      }
      const auto drawn = random_input(sizes, i + 1);
      const bool flows = std::holds_alternative<AtenInput::Flowing>(source);
      inputs.push_back(flows ? drawn.slice(0, begin, end).clone() : drawn);
    }
    return run_graph(region.graph_for(end - begin), inputs);
  };
  try {
    const auto together = run(0, kTracedImages);
    const auto apart = torch::cat({run(0, 1), run(1, kTracedImages)});
    constexpr double kRounding = 1e-4;
    const double size = together.abs().max().item<double>();
    return torch::allclose(apart, together, kRounding, kRounding * (size > 0 ? size : 1), true);
  } catch (const std::exception&) {  // fewer images do not go with what is of the traced ones
    return false;
  }
}

bool is_part_of_arguments(const Node& node) {
  return node.kind() == torch::jit::prim::Constant ||
         node.kind() == torch::jit::prim::ListConstruct;
}

}  // namespace yoke::compiled
