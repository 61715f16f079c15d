// tests/engine/step_graph_test.cpp: steps recorded once and replayed; on processors by a stand-in
// that does the work again, on GPUs by CUDA graphs.
#include "yoke/engine/eager/step_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/trained.h"
#include "tests/support/done_again.h"
#include "tests/support/gpus.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/captured_step.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torch::Tensor;

/// A batch of `size` images that are all `value`.
Batch batch_of(std::int64_t size, double value, std::int64_t whole = -1) {
  return {.input = torch::full({size, 1, 2, 2}, value),
          .target = torch::zeros({size}, torch::kInt64),
          .step_images = whole};
}

/// The loss is the images' value, and a thousandth for each image over all ranks.
Forward values_of(const Batch& batch) {
  return {.loss = batch.input.max() + static_cast<double>(batch.whole()) / 1000,
          .scores = batch.input.flatten(1).clone()};
}

TEST(CapturedStep, RehearsesThenRecordsOnceAndReplays) {
  Calls calls;
  CapturedStep step(std::make_unique<DoneAgain>(calls), torch::kCPU);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_NEAR(step.run(batch_of(4, i), values_of).loss.item<double>(), i + 0.004, 1e-5);
  }
  EXPECT_THAT(calls, ElementsAre("rehearse", "rehearse", "rehearse", "record", "replay", "replay"));
}

/// The loss is the mean share of the other class, or 1 where images are not mixed.
Forward shares_of(const Batch& batch) {
  return {.loss = batch.mixed() ? batch.other_share.mean() : torch::ones({}),
          .scores = batch.other_target.defined() ? batch.other_target.clone() : Tensor()};
}

TEST(CapturedStep, ReplaysOnTheSharesOfEachBatch) {
  Calls calls;
  CapturedStep step(std::make_unique<DoneAgain>(calls), torch::kCPU);
  const auto mixed = [](int i) {
    Batch batch = batch_of(4, i);
    batch.other_target = torch::full({4}, i, torch::kInt64);
    batch.other_share = torch::full({4}, 0.0625 * i);
    return batch;
  };
  for (int i = 1; i <= 5; ++i) {
    const Forward found = step.run(mixed(i), shares_of);
    EXPECT_EQ(found.loss.item<double>(), 0.0625 * i);
    EXPECT_TRUE(found.scores.eq(i).all().item<bool>());
  }
  EXPECT_THAT(calls, ElementsAre("rehearse", "rehearse", "rehearse", "record", "replay", "replay"));
  EXPECT_EQ(step.run(batch_of(4, 1),
                     [](const Batch&) {
                       return Forward{torch::ones({}), {}};
                     })
                .loss.item<double>(),
            1)
      << "of one class each, so computed as it is";
}

TEST(CapturedStep, ComputesBatchesOfOtherSizesAsTheyAre) {
  Calls calls;
  CapturedStep step(std::make_unique<DoneAgain>(calls), torch::kCPU);
  for (int i = 0; i < 4; ++i) step.run(batch_of(4, i), values_of);
  calls.clear();
  EXPECT_NEAR(step.run(batch_of(3, 7), values_of).loss.item<double>(), 7.003, 1e-5);
  EXPECT_NEAR(step.run(batch_of(4, 8, 9), values_of).loss.item<double>(), 8.009, 1e-5)
      << "its share of the step is another";
  EXPECT_THAT(calls, ElementsAre());
  EXPECT_NEAR(step.run(batch_of(4, 9), values_of).loss.item<double>(), 9.004, 1e-5);
  EXPECT_THAT(calls, ElementsAre("replay"));
}

TEST(CapturedStep, RecordsTheSizeThatComesAgain) {
  Calls calls;
  CapturedStep step(std::make_unique<DoneAgain>(calls), torch::kCPU);
  step.run(batch_of(3, 1), values_of);  // the odd last batch, after a resume
  for (int i = 0; i < 4; ++i) step.run(batch_of(4, i), values_of);
  EXPECT_THAT(calls,
              ElementsAre("rehearse", "rehearse", "rehearse", "rehearse", "record", "replay"));
}

TEST(CapturedStep, GivesResultsThatTheNextStepLeavesAlone) {
  Calls calls;
  CapturedStep step(std::make_unique<DoneAgain>(calls), torch::kCPU);
  std::vector<Forward> found;
  for (int i = 0; i < 6; ++i) found.push_back(step.run(batch_of(2, i), values_of));
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(found[i].loss.item<double>(), i + 0.002, 1e-5);
    EXPECT_EQ(found[i].scores[0][0].item<double>(), i);
  }
}

/// An engine with or without a graph, on a device.
struct Steps {
  Steps(const std::string& model_name, EagerOptions options, bool graph,
        torch::Device device = torch::kCPU)
      : model(make(model_name, device)), parameters(*model.module) {
    options.another = [=] { return make(model_name, torch::kCPU); };
    options.loss_scale = [this] { return scale; };
    if (graph) {
      options.graph = [this](torch::Device where) -> std::unique_ptr<StepGraph> {
        if (!where.is_cpu()) return make_step_graph(where);
        return std::make_unique<DoneAgain>(calls);
      };
    }
    engine = make_eager_engine(model, parameters, options);
  }

  static Model make(const std::string& name, torch::Device device) {
    Model model = make_model(name, {{1, 32, 32}, 10}, 1);
    model.module->to(device);
    return model;
  }

  /// Steps of gradient descent; the loss scale moves on the way, and a batch in the middle is odd.
  std::vector<double> losses() {
    std::vector<double> found;
    for (int step = 0; step < 9; ++step) {
      scale = step < 6 ? 64 : 32;
      const Batch batch = random_batch(model, step == 5 ? 3 : 8, static_cast<std::uint64_t>(step));
      const StepKey key{.seed = 3, .step = step};
      found.push_back(engine->gradient(batch, key).loss.item<double>());
      const torch::NoGradGuard no_grad;
      parameters.values().sub_(parameters.gradients(), 0.05 / scale);
    }
    return found;
  }

  Calls calls;
  double scale = 1;
  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
};

class Recorded : public testing::TestWithParam<Precision> {};

TEST_P(Recorded, TakesTheStepsOfAnEngineThatRecordsNothing) {
  Steps plain("lab-cnn", {.precision = GetParam()}, false);
  Steps recorded("lab-cnn", {.precision = GetParam()}, true);
  EXPECT_EQ(recorded.losses(), plain.losses()) << "with its dropout and its loss scale";
  EXPECT_THAT(recorded.calls, testing::Contains("replay").Times(5));
  EXPECT_TRUE(torch::equal(recorded.parameters.values(), plain.parameters.values()));
}

TEST_P(Recorded, TakesTheStepsOfAnEngineThatRecordsNothingOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  Steps plain("lab-cnn", {.precision = GetParam()}, false, {torch::kCUDA, 0});
  Steps recorded("lab-cnn", {.precision = GetParam()}, true, {torch::kCUDA, 0});
  const auto expected = plain.losses(), found = recorded.losses();
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Another algorithm of cuDNN may round otherwise, and the difference grows from step to step.
    EXPECT_NEAR(found[i], expected[i], 0.02) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Recorded,
                         testing::Values(Precision::kFp32, Precision::kO1, Precision::kO2),
                         [](const auto& info) {
                           return info.param == Precision::kFp32 ? "fp32"
                                  : info.param == Precision::kO1 ? "o1"
                                                                 : "o2";
                         });

TEST(RecordedEngine, TellsOfAllGradientsAtTheEnd) {
  Steps run("mlp", {}, true);
  for (int step = 0; step < 5; ++step) {
    const Batch batch = random_batch(run.model, step == 4 ? 0 : 8);
    std::vector<std::int64_t> told;
    run.engine->gradient(batch, {.seed = 1, .step = step},
                         [&](std::int64_t begin, std::int64_t end) {
                           told.push_back(begin);
                           told.push_back(end);
                         });
    EXPECT_THAT(told, ElementsAre(0, run.parameters.size())) << step;
  }
}

TEST(RecordedEngine, SaysSo) {
  Steps run("mlp", {}, true);
  EXPECT_THAT(run.engine->describe(8), HasSubstr("CUDA graph"));
}

TEST(RecordedEngine, RefusesSumsOverRanksInTheStep) {
  Steps run("mlp", {}, true);
  EXPECT_THAT([&] { run.engine->synchronise_batch_norm([](const Tensor&) {}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("leave out sync_batchnorm")));
}

TEST(MakeEngine, RefusesCudaGraphsOnProcessors) {
  Model model = make_model("mlp", {{1, 8, 8}, 10}, 1);
  FlatParameters parameters(*model.module);
  for (const auto kind : {EngineKind::kAuto, EngineKind::kEager, EngineKind::kCompiled}) {
    EXPECT_THAT(
        [&] { make_engine(model, parameters, {.kind = kind, .cuda_graph = true}); },
        testing::ThrowsMessage<UsageError>(HasSubstr("--cuda-graph off, or --device cuda")));
  }
}

TEST(EagerEngine, GivesTheModelImagesInChannelsLastOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  Model model = make_model("cifar-net", {{3, 32, 32}, 10}, 1);
  model.module->to(torch::kCUDA);
  bool channels_last = false;
  model.forward = [&, plain = model.forward](const Tensor& images) {
    channels_last = images.is_contiguous(at::MemoryFormat::ChannelsLast);
    return plain(images);
  };
  FlatParameters parameters(*model.module);
  const auto engine = make_eager_engine(model, parameters);
  const Batch batch = random_batch(model, 4);
  engine->gradient(batch, {});
  EXPECT_TRUE(channels_last);
  channels_last = false;
  engine->predict(batch.input);
  EXPECT_TRUE(channels_last);
  EXPECT_TRUE(parameters.values().is_contiguous());
}

TEST(StepGraph, SaysWhatAModelMustNotDoOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  const auto graph = make_step_graph({torch::kCUDA, 0});
  const Tensor number = torch::ones({}, torch::kCUDA);
  EXPECT_THAT([&] { graph->record([&] { number.item<float>(); }); },
              testing::ThrowsMessage<Error>(HasSubstr("--cuda-graph off")));
  EXPECT_NO_THROW(torch::dropout(torch::ones({9}, torch::kCUDA), 0.5, /*train=*/true))
      << "the generator still takes itself to be recorded";
}

}  // namespace
}  // namespace yoke::test
