// tests/engine/compiled_frozen_test.cpp: layers that do not learn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "tests/engine/compare.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/models/module_parts.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

Model frozen_model(const std::string& name, const std::string& parts,
                   const ImageShape& image = {3, 32, 32}) {
  Model model = make_model(name, {image, 10}, 1);
  freeze(*model.module, parts);
  return model;
}

Batch some_batch(const Model& model, std::int64_t size) {
  torch::manual_seed(3);
  const auto& [channels, height, width] = model.input;
  return {torch::randn({size, channels, height, width}), torch::randint(10, {size})};
}

struct Case {
  std::string model, parts;
  int replicas = 1;  // one where batch norms learn, which normalise per replica
};

class FrozenParts : public testing::TestWithParam<Case> {};

TEST_P(FrozenParts, ComputeWhatTheEagerEngineComputes) {
  const auto& [name, parts, replicas] = GetParam();
  compare_with_eager([&] { return frozen_model(name, parts); }, {.replicas = replicas});
}

INSTANTIATE_TEST_SUITE_P(
    Models, FrozenParts,
    testing::Values(Case{"resnet18", "backbone", 2}, Case{"resnet18", "conv1+bn1+layer1"},
                    Case{"resnet18", "layer2+fc"}, Case{"resnet18", "bn1+layer3.0.bn2"},
                    Case{"resnet9", "backbone"}, Case{"bn-cnn", "backbone"},
                    Case{"six-layer", "backbone"}, Case{"cifar-net", "conv2+fc2", 2},
                    Case{"mlp", "backbone", 2}, Case{"airbench", "backbone"}),
    [](const auto& info) {
      std::string name = info.param.model + "_" + info.param.parts;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
      return name;
    });

class FrozenEngines : public testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<Engine> make(Model& model, FlatParameters& parameters) {
    if (GetParam()) return make_compiled_engine(model, parameters, {.replicas = 2});
    return make_eager_engine(model, parameters);
  }
};

TEST_P(FrozenEngines, LeaveTheStatisticsOfFrozenBatchNormsAlone) {
  Model model = frozen_model("resnet18", "bn1+layer2");
  FlatParameters parameters(*model.module);
  const auto engine = make(model, parameters);
  std::map<std::string, torch::Tensor> before;
  for (const auto& buffer : model.module->named_buffers()) {
    before[buffer.key()] = buffer.value().clone();
  }
  engine->predict(some_batch(model, 3).input);  // and training again after it
  engine->gradient(some_batch(model, 8), {});
  for (const auto& buffer : model.module->named_buffers()) {
    const bool frozen = buffer.key().starts_with("bn1.") || buffer.key().starts_with("layer2.");
    EXPECT_EQ(torch::equal(buffer.value(), before[buffer.key()]), frozen) << buffer.key();
  }
}

TEST_P(FrozenEngines, ComputeNoGradientOfFrozenParameters) {
  Model model = frozen_model("lab-cnn", "all-but=fc3", {1, 28, 28});
  FlatParameters parameters(*model.module);
  const auto engine = make(model, parameters);
  std::set<std::int64_t> ready;
  engine->gradient(some_batch(model, 8), {}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ready.insert(i);
  });
  EXPECT_EQ(ready.size(), parameters.size()) << "each part is told of all the same";
  for (const auto& slice : parameters.slices()) {
    const auto gradient = parameters.gradients().narrow(0, slice.offset, slice.elements);
    EXPECT_EQ(gradient.abs().max().item<double>() == 0, slice.frozen) << slice.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, FrozenEngines, testing::Bool(),
                         [](const auto& info) { return info.param ? "Compiled" : "Eager"; });

TEST(CompiledFrozen, LeavesALayerOfWhichHalfIsFrozenToLibTorch) {
  for (const char* const part : {"output.weight", "output.bias"}) {
    compare_with_eager([&] { return frozen_model("mlp", part); }, {.replicas = 2});
    Model model = frozen_model("mlp", part);
    FlatParameters parameters(*model.module);
    EXPECT_THAT(make_compiled_engine(model, parameters, {})->describe(8),
                HasSubstr("by LibTorch: addmm, t"));
  }
}

TEST(CompiledFrozen, RefusesABatchNormOfWhichHalfIsFrozen) {
  Model model = frozen_model("resnet18", "bn1.weight");
  FlatParameters parameters(*model.module);
  try {
    make_compiled_engine(model, parameters, {});
    FAIL() << "nothing was refused";
  } catch (const UnsupportedModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("bn1.weight is frozen, and bn1.bias is not"));
  }
}

TEST(CompiledFrozen, PlansNoBackwardPassBehindTheLastLayerThatLearns) {
  Model all = make_model("resnet18", {{3, 32, 32}, 10}, 1);
  Model head = frozen_model("resnet18", "backbone");
  FlatParameters all_parameters(*all.module), head_parameters(*head.module);
  const auto backward_steps = [](Model& model, FlatParameters& parameters) {
    const auto engine = make_compiled_engine(model, parameters, {});
    std::vector<std::string> layers;
    for (const auto& step : engine->profile(some_batch(model, 4), 1)) {
      if (step.pass == "backward") layers.push_back(step.layer);
    }
    return layers;
  };
  const auto most = backward_steps(all, all_parameters);
  EXPECT_GT(most.size(), 20);
  for (const auto& layer : backward_steps(head, head_parameters)) EXPECT_EQ(layer, "fc");
}

}  // namespace
}  // namespace yoke::test
