#include "yoke/engine/compiled/check_step.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "yoke/engine/compiled.h"
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/reference.h"
#include "yoke/engine/compiled/trial.h"
#include "yoke/models/module_parts.h"

namespace yoke::compiled {
namespace {

/// How far rounding takes results apart: far less than any other reason.
struct Tolerance {
  double fraction;  ///< Of the norm, also in networks of a hundred layers.
  double of_all;    ///< Of the norm of the whole gradient: some parts are sums to zero.
  double noise;     ///< Of weights, by which a network shows how it takes rounding.

  explicit Tolerance(dnnl::memory::data_type type)
      : fraction(type == dnnl::memory::data_type::f32 ? 0.01 : 0.25),
        of_all(type == dnnl::memory::data_type::f32 ? 1e-4 : 0.02),
        noise(type == dnnl::memory::data_type::f32 ? 2e-6 : 0x1p-8) {}
};

double norm_of(const torch::Tensor& tensor) { return tensor.norm().item<double>(); }

/// Images to compare by, alike on all ranks: noise, each of another mean and contrast, for batch
/// norm enlarges the rounding of what is nearly equal. Of one class after the other.
Batch batch_to_compare(const ImageShape& shape, std::int64_t images, std::int64_t classes) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(/*seed=*/1);
  const auto place = torch::arange(images, torch::kFloat32).view({images, 1, 1, 1});
  const auto noise = torch::randn({images, shape.channels, shape.height, shape.width}, generator);
  return {.input = noise.mul_(place * 0.5 + 0.5).add_(place - 1),
          .target = torch::arange(images, torch::kInt64).remainder_(classes)};
}

std::int64_t classes_of(const LayerGraph& graph) {
  return graph.values[static_cast<std::size_t>(graph.output)].shape.channels;
}

bool draws_numbers(const LayerGraph& graph) {
  return std::any_of(graph.layers.begin(), graph.layers.end(),
                     [](const auto& layer) { return layer->kind() == "dropout"; });
}

/// What a beginning does; nothing where it makes something of parameters alone.
std::optional<LayerGraph> lower_if_of_images(const TracedGraph& beginning, const Model& model) {
  try {
    return lower(beginning, model);
  } catch (const UnsupportedModel&) {
    return std::nullopt;
  }
}

/// Of the last layer that computes.
std::string last_name(const LayerGraph& graph) {
  for (std::size_t i = graph.layers.size(); i-- > 0;) {
    if (graph.layers[i]->kind() != "reshape") return graph.layers[i]->name;
  }
  return "the images";
}

[[noreturn]] void fail(const std::string& what) {
  throw UnsupportedModel(fmt::format(
      "the model does not compile: {}; use --engine eager, which runs any model", what));
}

class StepCheck {
 public:
  StepCheck(const Model& model, FlatParameters& parameters, const PlanOptions& options)
      : model_(model), parameters_(parameters), options_(options), tolerance_(options.type) {}

  void check_inference(const TracedGraph& graph) const;
  void check_training(const TracedGraph& graph) const;

 private:
  Trial trial(const LayerGraph& graph, bool training, const Batch& batch) const;
  torch::Tensor scores_of_model(const torch::Tensor& images) const;
  /// How far `found` is from `expected`; nothing where only rounding lies between, of which `floor`
  /// always may. `moved`, unless empty, gives what noise of weights makes of the latter, another
  /// for each seed.
  std::string difference(const torch::Tensor& found, const torch::Tensor& expected, double floor,
                         const std::function<torch::Tensor(std::uint64_t seed)>& moved) const;
  std::string difference_of_scores(const TracedGraph& graph, const Batch& batch,
                                   const torch::Tensor& found) const;
  void check_gradients(const TracedGraph& graph, const Batch& batch, const Trial& found) const;
  /// The first layer whose result differs, and how far; nothing where none does.
  std::string first_difference(const TracedGraph& graph, bool training) const;

  const Model& model_;
  FlatParameters& parameters_;
  const PlanOptions options_;
  const Tolerance tolerance_;
};

Trial StepCheck::trial(const LayerGraph& graph, bool training, const Batch& batch) const {
  PlanOptions options = options_;
  options.training = training;
  return try_plan(graph, parameters_, batch, options);
}

torch::Tensor StepCheck::scores_of_model(const torch::Tensor& images) const {
  const torch::NoGradGuard no_grad;
  const bool was_training = model_.module->is_training();
  model_.module->eval();
  const torch::Tensor scores = model_.forward(images);
  set_training(*model_.module, was_training);
  return scores.to(torch::kFloat32);
}

std::string StepCheck::difference(
    const torch::Tensor& found, const torch::Tensor& expected, double floor,
    const std::function<torch::Tensor(std::uint64_t seed)>& moved) const {
  const double size = norm_of(expected), apart = norm_of(found - expected);
  if (!std::isfinite(size)) return "";  // weights that tell nothing
  const double allowed = tolerance_.fraction * size + floor;
  constexpr double kTimesNoise = 5;
  constexpr std::uint64_t kTries = 8;  // a rounding that decides for a ReLU is rarely hit
  for (std::uint64_t seed = 0; moved && seed < kTries && !(apart <= allowed); ++seed) {
    if (apart <= allowed + kTimesNoise * norm_of(moved(seed) - expected)) return "";
  }
  return apart <= allowed ? "" : fmt::format("by {:.3g} of {:.3g}", apart, size);
}

// With two images, where the trace had three.
void StepCheck::check_inference(const TracedGraph& graph) const {
  const LayerGraph layers = lower(graph, model_);
  if (draws_numbers(layers)) return;
  const Batch batch = batch_to_compare(model_.input, 2, classes_of(layers));
  const torch::Tensor found = trial(layers, false, batch).scores;
  const std::string by = difference(found, scores_of_model(batch.input), 0, {});
  if (by.empty()) return;
  const std::string where = first_difference(graph, false);
  fail(where.empty() ? fmt::format("its scores for two images differ {} from those that it gives "
                                   "itself, for it does not do with all images what it did with "
                                   "those of its trace",
                                   by)
                     : where);
}

void StepCheck::check_training(const TracedGraph& graph) const {
  const LayerGraph layers = lower(graph, model_);
  const Batch batch = batch_to_compare(model_.input, kTracedImages, classes_of(layers));
  const Trial found = trial(layers, true, batch);
  if (const auto by = difference_of_scores(graph, batch, found.scores); !by.empty()) {
    const std::string where = first_difference(graph, true);
    fail(where.empty() ? fmt::format("its scores in training differ {} from LibTorch's", by)
                       : where);
  }
  check_gradients(graph, batch, found);
}

std::string StepCheck::difference_of_scores(const TracedGraph& graph, const Batch& batch,
                                            const torch::Tensor& found) const {
  const Reference reference(model_, parameters_, batch);
  return difference(found, reference.scores(graph), 0, [&](std::uint64_t seed) {
    return reference.scores(graph, {tolerance_.noise, seed});
  });
}

// In the order of the backward pass, so that the first one is where it went wrong.
void StepCheck::check_gradients(const TracedGraph& graph, const Batch& batch,
                                const Trial& found) const {
  const Reference reference(model_, parameters_, batch);
  const auto gradients = [&](const Noise& noise) {
    return reference.gradients(graph, options_.loss, noise);
  };
  const auto expected = gradients({});
  std::vector<std::vector<torch::Tensor>> moved;  // by seed, as far as wanted
  double all = 0;
  for (const torch::Tensor& each : expected) {
    if (each.defined()) all = std::hypot(all, norm_of(each));
  }
  if (!std::isfinite(all)) return;  // weights that tell nothing
  for (const ParameterId id : found.completed) {
    const auto i = static_cast<std::size_t>(id);
    const auto& slice = parameters_.slices()[i];
    if (!expected[i].defined()) continue;
    const torch::Tensor flat =
        found.gradients.slice(0, slice.offset, slice.offset + slice.elements);
    const std::string by = difference(flat.view(slice.shape), expected[i], tolerance_.of_all * all,
                                      [&](std::uint64_t seed) {
                                        if (moved.size() == seed)
                                          moved.push_back(gradients({tolerance_.noise, seed}));
                                        return moved[seed][i];
                                      });
    if (by.empty()) continue;
    fail(fmt::format("the gradient of {} for {} images differs {} from autograd's", slice.name,
                     kTracedImages, by));
  }
}

std::string StepCheck::first_difference(const TracedGraph& graph, bool training) const {
  std::size_t number = 0;
  for (const auto* const node : graph->nodes()) {
    const TracedGraph beginning = beginning_of(graph, number++);
    if (!beginning) continue;
    const auto layers = lower_if_of_images(beginning, model_);
    if (!layers || draws_numbers(*layers)) continue;
    const Batch batch = batch_to_compare(model_.input, kTracedImages, classes_of(*layers));
    const std::string by =
        difference_of_scores(beginning, batch, trial(*layers, training, batch).scores);
    if (by.empty()) continue;
    return fmt::format("the results of {} ({}) for {} images differ {} from LibTorch's",
                       last_name(*layers), node->kind().toQualString(), kTracedImages, by);
  }
  return "";
}

}  // namespace

void check_step(const Model& model, FlatParameters& parameters, const TracedGraph& training,
                const TracedGraph& inference, const PlanOptions& options) {
  const StepCheck check(model, parameters, options);
  try {
    check.check_inference(inference);
    check.check_training(without_dropout(training));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // of LibTorch's interpreter
    fail(fmt::format("an operator of it fails where it is computed alone: {}", error.what()));
  }
}

}  // namespace yoke::compiled
