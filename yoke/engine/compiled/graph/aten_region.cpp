#include "yoke/engine/compiled/graph/aten_region.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "yoke/engine/compiled/graph/views.h"
#include "yoke/engine/trace_constants.h"

namespace yoke::compiled {
namespace {

using torch::jit::Node;
using JitValue = torch::jit::Value;

std::string_view name_of(const Node& node) { return node.kind().toQualString(); }

/// Of dropout(input, p, train), whether what it drops is none.
bool drops_nothing(const Node& node) {
  if (name_of(node).find("dropout") == std::string_view::npos || node.inputs().size() < 3) {
    return false;
  }
  return constant_number(*node.input(1)) == 0.0 || constant_flag(*node.input(2)) == false;
}

/// Which of the sizes of a result is that of images, also where they have become one with another:
/// of what is repeated for each of them the first, and of a view of theirs the first that three
/// divides; the end where it is none.
std::vector<std::int64_t>::iterator size_of_images(const Node& node, bool of_images,
                                                   std::vector<std::int64_t>& sizes) {
  static constexpr std::array kViews = {"aten::view", "aten::reshape", "aten::_unsafe_view",
                                        "aten::_reshape_alias"};
  const bool repeats = name_of(node) == "aten::expand";
  const bool views = std::find(kViews.begin(), kViews.end(), name_of(node)) != kViews.end();
  if (!repeats && !(views && of_images)) return sizes.end();
  const auto found = std::find_if(sizes.begin(), sizes.end(), [](std::int64_t size) {
    return size == -1 || size % kTracedImages == 0;
  });
  const bool is_given = found != sizes.end() && *found > 0;  // -1 is found anew
  return is_given && (!repeats || found == sizes.begin()) ? found : sizes.end();
}

/// Writes the sizes for `images` into `node`, where these are constants; whether it did.
bool resize(torch::jit::Graph& graph, Node& node, bool of_images, std::int64_t images) {
  if (node.inputs().size() < 2) return false;
  auto sizes = constant_integers(*node.input(1));
  if (!sizes) return false;
  const auto size = size_of_images(node, of_images, *sizes);
  if (size == sizes->end()) return false;
  *size = *size / kTracedImages * images;
  const torch::jit::WithInsertPoint before(&node);
  node.replaceInput(1, graph.insertConstant(*sizes));
  return true;
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
  std::unordered_set<const JitValue*> of_images;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::holds_alternative<AtenInput::Flowing>(inputs[i].source)) {
      of_images.insert(copy->inputs()[i]);
    }
  }
  for (Node* const node : copy->nodes()) {
    bool is_of_images =
        std::any_of(node->inputs().begin(), node->inputs().end(),
                    [&](const JitValue* input) { return of_images.contains(input); });
    is_of_images = resize(*copy, *node, is_of_images, images) || is_of_images;
    if (is_of_images) of_images.insert(node->outputs().begin(), node->outputs().end());
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
