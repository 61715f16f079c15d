// tests/engine/channels_last_test.cpp: a model whose convolutions have weights in another order.
#include "yoke/engine/eager/channels_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/normalised_network.h"
#include "tests/engine/trained.h"
#include "tests/support/gpus.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/gpu_settings.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

/// Computes on a processor as it is, or on the copy that GPUs have.
struct Computed {
  explicit Computed(Precision precision, bool ordered, Model made = normalised_network())
      : model(std::move(made)), parameters(*model.module) {
    const auto numbers = [this, precision](Model& given) {
      return make_arithmetic(precision, given, parameters, {});
    };
    const auto type = precision == Precision::kFp32 ? torch::kFloat32 : torch::kBFloat16;
    arithmetic = ordered ? make_channels_last(model, parameters, normalised_network, type, numbers)
                         : numbers(model);
  }

  Tensor scores(const Batch& batch) const {
    arithmetic->load();
    return arithmetic->forward(batch.input);
  }

  Tensor gradient(const Batch& batch) {
    parameters.gradients().zero_();
    torch::nn::functional::cross_entropy(scores(batch).to(torch::kFloat32), batch.target)
        .backward();
    arithmetic->store(0, parameters.size());
    return parameters.gradients().clone();
  }

  Model model;
  FlatParameters parameters;
  std::unique_ptr<Arithmetic> arithmetic;
};

class ChannelsLast : public testing::TestWithParam<Precision> {};

TEST_P(ChannelsLast, GivesTheGradientOfTheOrderThatParametersAreIn) {
  Computed plain(GetParam(), false), ordered(GetParam(), true);
  // Products are added up in another order; in 16 bits here and there a sum rounds elsewhere.
  const double tolerance = GetParam() == Precision::kFp32 ? 1e-5 : 4e-3;
  for (const std::int64_t count : {17, 2, 17}) {
    const Batch batch = random_batch(normalised_network(), count);
    const Tensor expected = plain.gradient(batch), found = ordered.gradient(batch);
    EXPECT_LT(relative_difference(found, expected), tolerance) << count;
    for (auto* run : {&plain, &ordered}) {
      run->parameters.values().sub_(expected, 0.1);  // the copy follows
    }
  }
  EXPECT_EQ(ordered.arithmetic->describe(), plain.arithmetic->describe());
}

INSTANTIATE_TEST_SUITE_P(Precisions, ChannelsLast,
                         testing::Values(Precision::kFp32, Precision::kO1), [](const auto& info) {
                           return info.param == Precision::kFp32 ? "fp32" : "o1";
                         });

TEST(ChannelsLastCopy, HasWeightsOfConvolutionsOfItsOwnAlone) {
  Computed run(Precision::kO1, true);
  run.arithmetic->load();
  const auto flat = run.parameters.values();
  for (const auto& item : run.arithmetic->module().named_parameters()) {
    const Tensor& parameter = item.value();
    const bool own = item.key() == "conv1.weight" || item.key() == "conv2.weight";
    EXPECT_EQ(parameter.is_alias_of(flat), !own) << item.key();
    EXPECT_EQ(parameter.scalar_type(), own ? torch::kBFloat16 : torch::kFloat32) << item.key();
    EXPECT_TRUE(!own || parameter.is_contiguous(torch::MemoryFormat::ChannelsLast)) << item.key();
  }
}

TEST(ChannelsLastCopy, MovesTheStatisticsOfTheModel) {
  Computed run(Precision::kFp32, true);
  run.gradient(random_batch(normalised_network(), 17));
  EXPECT_GT(run.model.module->buffers().front().abs().max().item<double>(), 0);
}

TEST(ChannelsLastCopy, LeavesFrozenParametersAlone) {
  Model model = normalised_network();
  model.module->parameters().front().set_requires_grad(false);
  Computed run(Precision::kFp32, true, model);
  const Tensor gradient = run.gradient(random_batch(normalised_network(), 17));
  const auto first = run.parameters.slices().front().elements;
  EXPECT_EQ(gradient.narrow(0, 0, first).abs().max().item<double>(), 0);
  EXPECT_GT(gradient.abs().max().item<double>(), 0);
}

TEST(ChannelsLastCopy, StoresTheGradientsOfARange) {
  Computed run(Precision::kFp32, true);
  const Tensor expected = run.gradient(random_batch(normalised_network(), 5));
  run.parameters.gradients().zero_();
  const auto& conv2 = run.parameters.slices()[4];
  ASSERT_EQ(conv2.name, "conv2.weight");
  run.arithmetic->store(conv2.offset, conv2.offset + conv2.elements);
  Tensor alone = torch::zeros_like(expected);
  alone.narrow(0, conv2.offset, conv2.elements)
      .copy_(expected.narrow(0, conv2.offset, conv2.elements));
  EXPECT_TRUE(run.parameters.gradients().equal(alone));
}

TEST(ChannelsLastCopy, RefusesWhatIsNoCopy) {
  Model model = normalised_network();
  FlatParameters parameters(*model.module);
  const auto make = [&] {
    make_channels_last(
        model, parameters, [&] { return model; }, torch::kFloat32,
        [&](Model& given) { return make_arithmetic(Precision::kFp32, given, parameters, {}); });
  };
  EXPECT_THAT(make, testing::ThrowsMessage<UsageError>(HasSubstr("in use already")));
}

TEST(ChannelsLastCopy, IsForModelsWithConvolutions) {
  EXPECT_TRUE(has_convolutions(normalised_network()));
  EXPECT_FALSE(has_convolutions(model_of({1, 4, 4}, [](torch::nn::Module& module) {
    auto last = module.register_module("last", torch::nn::Linear(16, 10));
    return [last](Tensor x) mutable { return last->forward(x.flatten(1)); };
  })));
}

TEST(ChannelsLastCopy, GivesTheSameGradientOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  apply({.tf32 = Tf32::kNowhere});
  const auto gradient = [](Precision precision, const std::function<Model()>& another) {
    Model model = normalised_network();
    model.module->to(torch::kCUDA);
    FlatParameters parameters(*model.module);
    const auto engine =
        make_eager_engine(model, parameters, {.precision = precision, .another = another});
    engine->gradient(random_batch(normalised_network(), 17), kKey);
    return parameters.gradients().to(torch::kCPU);
  };
  EXPECT_LT(relative_difference(gradient(Precision::kFp32, normalised_network),
                                gradient(Precision::kFp32, {})),
            1e-5);
  EXPECT_LT(relative_difference(gradient(Precision::kBf16, normalised_network),
                                gradient(Precision::kBf16, {})),
            2e-2);
  apply({});
}

}  // namespace
}  // namespace yoke::test
