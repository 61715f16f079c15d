#include "yoke/engine/make_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "yoke/core/error.h"
#include "yoke/engine/compiled.h"

namespace yoke {
namespace {

using testing::HasSubstr;

/// Ends in what does not keep images apart.
struct OddImpl final : torch::nn::Module {
  OddImpl() { linear = register_module("linear", torch::nn::Linear(12, 4)); }
  torch::Tensor forward(const torch::Tensor& x) {
    return torch::cumsum(linear->forward(x.flatten(1)), 0);
  }
  torch::nn::Linear linear{nullptr};
};
TORCH_MODULE(Odd);

TEST(MakeEngine, CompilesOnItsOwnAsManyReplicasAsThreads) {
  Model model = make_model("lenet", {{1, 28, 28}, 10}, 1);
  FlatParameters parameters(*model.module);
  const auto choice = make_engine(model, parameters, {.threads = 3});
  EXPECT_EQ(choice.kind, EngineKind::kCompiled);
  EXPECT_EQ(choice.replicas, 3);
  EXPECT_EQ(choice.note, "");
}

TEST(MakeEngine, RunsEagerlyAndSaysWhyWhenAnOperatorDoesNotCompile) {
  Model model = wrap_module(Odd(), {3, 2, 2});
  FlatParameters parameters(*model.module);
  const auto choice = make_engine(model, parameters, {});
  EXPECT_EQ(choice.kind, EngineKind::kEager);
  EXPECT_THAT(choice.note, HasSubstr("aten::cumsum"));
  const Batch batch{torch::randn({5, 3, 2, 2}), torch::zeros({5}, torch::kInt64)};
  EXPECT_GT(choice.engine->gradient(batch, {}).loss.item<float>(), 0);
}

TEST(MakeEngine, ThrowsWhenTheCompiledEngineIsAskedForAndCannotBeHad) {
  Model model = wrap_module(Odd(), {3, 2, 2});
  FlatParameters parameters(*model.module);
  EXPECT_THROW(make_engine(model, parameters, {.kind = EngineKind::kCompiled}), UnsupportedModel);
}

TEST(MakeEngine, RefusesBf16WhereTheProcessorLacksIt) {
  if (why_not(Precision::kBf16).empty()) GTEST_SKIP() << "this processor has bf16";
  Model model = make_model("lenet", {{1, 28, 28}, 10}, 1);
  FlatParameters parameters(*model.module);
  EXPECT_THROW(make_engine(model, parameters, {.precision = Precision::kBf16}), UsageError);
}

}  // namespace
}  // namespace yoke
