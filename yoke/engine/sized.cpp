#include "yoke/engine/sized.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <deque>
#include <map>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/models/module_parts.h"

namespace yoke {
namespace {

using Side = std::pair<std::int64_t, std::int64_t>;  // height and width

Side side_of(const ImageShape& shape) { return {shape.height, shape.width}; }

/// An engine for each size.
class SizedEngine final : public Engine {
 public:
  SizedEngine(Model& model, std::unique_ptr<Engine> own) : own_(side_of(model.input)) {
    engines_.emplace(own_, std::move(own));
  }

  /// The model at another size, with the same parameters; stays where it is.
  Model& at(const Model& model, const ImageShape& input) {
    Model& sized = models_.emplace_back(model);
    sized.input = input;
    return sized;
  }
  void add(const ImageShape& input, std::unique_ptr<Engine> engine) {
    engines_.emplace(side_of(input), std::move(engine));
  }

  Forward gradient(const Batch& batch, const StepKey& key, const GradientReady& ready) override {
    const bool empty = batch.size() == 0;  // a rank without a share has no size
    return (empty ? own() : of(batch.input)).gradient(batch, key, ready);
  }
  void synchronise_batch_norm(SumOverRanks sum) override {
    for (auto& [side, engine] : engines_) engine->synchronise_batch_norm(sum);
  }
  torch::Tensor predict(const torch::Tensor& input) override { return of(input).predict(input); }
  std::string describe(std::int64_t batch_size) override { return own().describe(batch_size); }

 private:
  Engine& own() { return *engines_.at(own_); }
  Engine& of(const torch::Tensor& input) {
    const auto engine = engines_.find({input.size(2), input.size(3)});
    if (engine != engines_.end()) return *engine->second;
    throw Error(
        fmt::format("there is no engine for images of {}x{}", input.size(2), input.size(3)));
  }

  const Side own_;
  std::deque<Model> models_;  // engines refer to them
  std::map<Side, std::unique_ptr<Engine>> engines_;
};

/// One image, in evaluation mode.
void try_size(Model& model, const ImageShape& input) {
  const torch::NoGradGuard no_grad;
  const bool training = model.module->is_training();
  const auto parameters = model.module->parameters();
  const auto device = parameters.empty() ? torch::Device(torch::kCPU) : parameters[0].device();
  std::string why;
  set_training(*model.module, false);
  try {
    model.forward(torch::zeros({1, input.channels, input.height, input.width}, device));
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
  }
  set_training(*model.module, training);
  if (why.empty()) return;
  throw UsageError(
      fmt::format("the model takes images of {}, and not of {}: {}; choose sizes that it takes, or "
                  "a network that averages over all pixels before its last layer, as resnet18",
                  model.input.str(), input.str(), why.substr(0, why.find('\n'))));
}

}  // namespace

EngineChoice make_sized_engine(Model& model, const std::vector<std::int64_t>& sizes,
                               const EngineOptions& options, const MakeEngine& make) {
  EngineChoice choice = make(model, options);
  const auto shape = [&](std::int64_t size) {
    return ImageShape{model.input.channels, size, size};
  };
  for (const std::int64_t size : sizes) try_size(model, shape(size));
  if (choice.kind == EngineKind::kEager) return choice;  // which takes what the network takes
  auto sized = std::make_unique<SizedEngine>(model, std::move(choice.engine));
  EngineOptions same = options;
  same.kind = choice.kind;
  for (const std::int64_t size : sizes) {
    if (side_of(shape(size)) == side_of(model.input)) continue;
    Model& other = sized->at(model, shape(size));
    sized->add(shape(size), make(other, same).engine);
  }
  choice.engine = std::move(sized);
  return choice;
}

}  // namespace yoke
