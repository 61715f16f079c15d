// tests/train/repeat_test.cpp: what a run repeats bit for bit, and what within rounding.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/gpus.h"
#include "tests/train/run.h"
#include "yoke/engine/eager/gpu_settings.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

/// What a run is computed by.
struct Way {
  std::string name;
  std::string model;
  EngineKind engine = EngineKind::kCompiled;
  Precision precision = Precision::kFp32;
  std::int64_t replicas = 0;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

/// Four steps on two threads, the last of each epoch 50 images.
TrainConfig run_of(const Way& way, const fs::path& out) {
  TrainConfig config = small_run(out, way.model);
  config.data = "glyphs:train=150,validation=53";
  config.epochs = 2;
  config.engine = way.engine;
  config.precision = way.precision;
  config.replicas = way.replicas;
  config.device = DeviceKind::kCpu;
  config.threads = 2;
  config.print_every = 1;
  return config;
}

void expect_equal_bits(const fs::path& one, const fs::path& other) {
  EXPECT_EQ(reports(one), reports(other));
  EXPECT_EQ(read_file(one / "model.safetensors"), read_file(other / "model.safetensors"));
}

class SameRun : public testing::TestWithParam<Way> {
 protected:
  ~SameRun() override { apply({}); }  // for the tests that follow

  /// The run that all tests of a way compare with.
  static fs::path one() {
    const auto out = shared_->path() / GetParam().name;
    if (!fs::exists(out)) train(run_of(GetParam(), out));
    return out;
  }

  static void SetUpTestSuite() { shared_ = std::make_unique<TemporaryDirectory>(); }
  static void TearDownTestSuite() { shared_.reset(); }

 private:
  static inline std::unique_ptr<TemporaryDirectory> shared_;
};

TEST_P(SameRun, HasEqualBits) {
  const TemporaryDirectory directory;
  const auto config = run_of(GetParam(), directory.path() / "again");
  train(config);
  expect_equal_bits(one(), config.out);
}

TEST_P(SameRun, HasEqualBitsWhateverMakesItsBatches) {
  const TemporaryDirectory directory;
  auto config = run_of(GetParam(), directory.path() / "other");
  config.loader_threads = 3;
  train(config);
  expect_equal_bits(one(), config.out);
}

TEST_P(SameRun, HasEqualBitsOnProcessorsWithoutBeingToldTo) {
  const TemporaryDirectory directory;
  auto config = run_of(GetParam(), directory.path() / "told");
  config.deterministic = true;
  train(config);
  expect_equal_bits(one(), config.out);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SameRun,
    testing::Values(
        Way{.name = "compiled", .model = "lab-cnn"},
        Way{.name = "compiled_batch_norm", .model = "bn-cnn"},
        Way{.name = "compiled_bf16", .model = "lab-cnn", .precision = Precision::kBf16},
        Way{.name = "eager", .model = "lab-cnn", .engine = EngineKind::kEager},
        Way{.name = "eager_batch_norm", .model = "bn-cnn", .engine = EngineKind::kEager},
        Way{.name = "eager_replicas",
            .model = "lab-cnn",
            .engine = EngineKind::kEager,
            .replicas = 2},
        Way{.name = "eager_o1",
            .model = "lenet",
            .engine = EngineKind::kEager,
            .precision = Precision::kO1}),
    [](const auto& info) { return info.param.name; });

TEST(Threads, LeaveTheBitsOfACompiledRunWhoseReplicasAreGiven) {
  for (const char* const model : {"lab-cnn", "bn-cnn"}) {
    const TemporaryDirectory directory;
    const auto on = [&](std::int64_t threads) {
      auto config = run_of({.name = "", .model = model, .replicas = 2},
                           directory.path() / std::to_string(threads));
      config.threads = threads;
      train(config);
      return config.out;
    };
    const auto one = on(1);
    expect_equal_bits(one, on(2));
    expect_equal_bits(one, on(3));
  }
}

TEST(Threads, ChangeTheRoundingOfOtherRunsAlone) {
  for (const auto engine : {EngineKind::kEager, EngineKind::kCompiled}) {
    const TemporaryDirectory directory;
    const auto on = [&](std::int64_t threads) {
      auto config = run_of({.name = "", .model = "lenet", .engine = engine},
                           directory.path() / std::to_string(threads));
      config.optimizer = "sgd";  // whose steps follow small gradients smoothly, as adam's do not
      config.lr = 0.01;
      config.threads = threads;
      train(config);
      return config.out;
    };
    const auto one = on(1);
    expect_equal_runs(one, on(2));
    expect_equal_runs(one, on(3));
  }
}

TEST(Threads, MakeMoreReplicasOfTheCompiledEngine) {
  const TemporaryDirectory directory;
  auto config = run_of({.name = "", .model = "bn-cnn"}, directory.path() / "run");
  config.threads = 3;
  EXPECT_EQ(train(config).summary.at("replicas").get<int>(), 3);
}

/// In a process of its own, for LibTorch reads the variable that its products on GPUs need.
TEST(RunOnAGpu, HasEqualBitsWhereItIsToldTo) {
  YOKE_NEEDS_GPUS(1);
  const TemporaryDirectory directory;
  const auto run = [&](const char* name) {
    const auto out = directory.path() / name;
    auto words = train_words(out,
                             "--model lab-cnn --device cuda --data glyphs:train=150,validation=53 "
                             "--epochs 2 --batch-size 100 --deterministic");
    words.insert(words.begin(), {"env", "CUBLAS_WORKSPACE_CONFIG=:4096:8", YOKE_PROGRAM});
    const auto result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.output;
    return out;
  };
  const auto one = run("one"), again = run("again");
  if (!HasFailure()) expect_equal_bits(one, again);
}

}  // namespace
}  // namespace yoke::test
