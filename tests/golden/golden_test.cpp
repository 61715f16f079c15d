// tests/golden/golden_test.cpp: the first ten losses of every model but large ones equal those of
// the same weights, batches and optimizer in plain LibTorch and in Python's PyTorch.
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

#include "tests/support/model_forms.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/keyed_dropout.h"
#include "yoke/optim/optimizer.h"

namespace yoke {
namespace {

const ModelInput kInput{{3, 32, 32}, 10};
constexpr std::uint64_t kSeed = 11;
constexpr std::int64_t kImages = 8;  // of a batch
constexpr std::int64_t kMostParameters = 15'000'000;
constexpr std::ptrdiff_t kMostNorms = 20;

/// One way to train, in Yoke's words; `lr` is what each side uses.
struct Recipe {
  std::string model;
  std::string optimizer;
  double lr;
};

std::ostream& operator<<(std::ostream& stream, const Recipe& recipe) {
  return stream << recipe.model << " " << recipe.optimizer;
}

std::ptrdiff_t count_batch_norms(const torch::nn::Module& module) {
  const auto names = module.named_buffers().keys();
  return std::count_if(names.begin(), names.end(),
                       [](const std::string& name) { return name.ends_with("running_mean"); });
}

/// Every model with momentum, and one with Adam; but for large ones, whose ten steps take minutes,
/// and those whose depth makes them more chaotic still. Those are tested by their scores.
std::vector<Recipe> recipes() {
  std::vector<Recipe> recipes;
  for (const auto& form : test::model_forms()) {
    // Deep networks with batch norm are chaotic: a last bit that differs in an update makes some
    // activation cross zero, and at a rate of 0.01 ten steps turn that into 1e-3 of the loss.
    const Model model = make_model(form, kInput, kSeed);
    if (count_parameters(*model.module) > kMostParameters) continue;
    if (count_batch_norms(*model.module) > kMostNorms) continue;
    const bool chaotic = !model.module->buffers().empty();
    recipes.push_back({form, "sgd:momentum=0.9", chaotic ? 3e-5 : 0.01});
  }
  recipes.push_back({"lenet", "adam", 0.001});
  return recipes;
}

std::vector<Batch> make_batches(const Model& model) {
  torch::manual_seed(21);
  std::vector<Batch> batches;
  for (int i = 0; i < 10; ++i) {
    batches.push_back({.input = torch::randn({kImages, 3, model.input.height, model.input.width}),
                       .target = torch::randint(kInput.classes, {kImages})});
  }
  return batches;
}

std::vector<double> yoke_losses(const Recipe& recipe) {
  Model model = make_model(recipe.model, kInput, kSeed);
  FlatParameters parameters(*model.module);
  const auto engine = make_eager_engine(model, parameters);
  const auto optimizer = make_optimizer(recipe.optimizer, parameters);
  std::vector<double> losses;
  for (const Batch& batch : make_batches(model)) {
    const StepKey key{.seed = kSeed, .step = static_cast<std::int64_t>(losses.size())};
    const auto objective = [&] { return engine->gradient(batch, key).loss; };
    losses.push_back(optimizer->step(objective, {.lr = recipe.lr}).item<double>());
  }
  return losses;
}

std::unique_ptr<torch::optim::Optimizer> plain_optimizer(const Recipe& recipe,
                                                         std::vector<torch::Tensor> parameters) {
  if (recipe.optimizer == "adam") {
    return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                                torch::optim::AdamOptions(recipe.lr));
  }
  return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                             torch::optim::SGDOptions(recipe.lr).momentum(0.9));
}

std::vector<double> plain_losses(const Recipe& recipe) {
  const Model model = make_model(recipe.model, kInput, kSeed);
  const auto optimizer = plain_optimizer(recipe, model.module->parameters());
  std::vector<double> losses;
  for (const Batch& batch : make_batches(model)) {
    const StepKey key{.seed = kSeed, .step = static_cast<std::int64_t>(losses.size())};
    const KeyedDropout masks(key, batch);  // LibTorch's generator would draw others
    optimizer->zero_grad();
    const auto loss = torch::cross_entropy_loss(model.forward(batch.input), batch.target);
    loss.backward();
    optimizer->step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

/// Writes the initial weights and the batches as a dict of tensors that `torch.load` reads.
void write_start(const Recipe& recipe, const std::filesystem::path& path) {
  const Model model = make_model(recipe.model, kInput, kSeed);
  c10::Dict<std::string, torch::Tensor> start;
  const auto add = [&start](const auto& tensors) {
    for (const auto& item : tensors) start.insert("weight." + item.key(), item.value().detach());
  };
  add(model.module->named_parameters());
  add(model.module->named_buffers());
  const auto batches = make_batches(model);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    start.insert(fmt::format("input.{}", i), batches[i].input);
    start.insert(fmt::format("target.{}", i), batches[i].target);
  }
  const auto bytes = torch::jit::pickle_save(start);
  write_file(path, {bytes.data(), bytes.size()});
}

/// Compares within 1e-5 of the value: room for ten steps of sums taken in another order.
void expect_equal(const std::vector<double>& losses, const std::vector<double>& expected) {
  ASSERT_EQ(losses.size(), expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], expected[i], 1e-5 * std::abs(expected[i])) << "step " << i;
  }
}

class EveryRecipe : public testing::TestWithParam<Recipe> {};

TEST_P(EveryRecipe, LossesEqualThoseOfPlainLibTorch) {
  expect_equal(yoke_losses(GetParam()), plain_losses(GetParam()));
}

/// What Python prints of its ten steps; nothing where it has no torch.
std::optional<test::ProgramResult> python_losses(const Recipe& recipe) {
  static const std::string script =
      read_file(std::filesystem::path(YOKE_SOURCE_DIR) / "tests" / "golden" / "golden.py");
  const test::TemporaryDirectory directory;
  const auto start = directory.path() / "start.pt";
  write_start(recipe, start);
  const auto words = {recipe.model, recipe.optimizer.substr(0, recipe.optimizer.find(':')),
                      fmt::format("{}", recipe.lr), start.string(),
                      std::string(YOKE_SOURCE_DIR "/bench/pytorch")};
  return test::run_python("torch", script, words);
}

TEST(Golden, LossesEqualThoseOfPython) {
  constexpr int kNoSuchModel = 3;
  int compared = 0;
  for (Recipe recipe : recipes()) {
    recipe.model = test::without_dropout(recipe.model);  // Python's generator is another one
    SCOPED_TRACE(recipe);
    const auto result = python_losses(recipe);
    if (!result) GTEST_SKIP() << "Python's torch is missing; Debian's package is python3-torch";
    if (result->status == kNoSuchModel) continue;
    ASSERT_EQ(result->status, 0) << result->output;
    std::istringstream stream(result->output);
    const std::vector<double> expected{std::istream_iterator<double>(stream), {}};
    ASSERT_EQ(expected.size(), 10u) << result->output;
    expect_equal(yoke_losses(recipe), expected);
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryRecipe, testing::ValuesIn(recipes()), [](const auto& info) {
  const Recipe& recipe = info.param;
  return test::test_name(recipe.model.substr(0, recipe.model.find(':')) + "_" +
                         recipe.optimizer.substr(0, recipe.optimizer.find(':')));
});

}  // namespace
}  // namespace yoke
