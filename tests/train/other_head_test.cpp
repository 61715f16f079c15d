// tests/train/other_head_test.cpp: weights of a model of other classes, and names that wrappers
// gave.
#include "yoke/train/checkpoints/other_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/export.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/checkpoints/weights.h"

namespace yoke {
namespace {

using test::expect_equal;
using test::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using torch::nn::BatchNorm2d, torch::nn::Conv2d, torch::nn::Linear, torch::nn::LinearOptions,
    torch::nn::Sequential;

NamedTensors copy_of(const torch::nn::Module& module) { return snapshot(module_state(module)); }

/// Ends in a layer that makes `classes` scores, of `inputs` numbers, as `classifier.3`.
Sequential classifier(std::int64_t classes, std::int64_t inputs = 4, std::int64_t width = 5) {
  return Sequential(Conv2d(3, width, 1), BatchNorm2d(width), Conv2d(width, inputs, 1),
                    Linear(inputs, classes));
}

class BeginWithWeights : public ::testing::Test {
 protected:
  std::optional<OtherHead> begin(torch::nn::Module& module, const NamedTensors& tensors,
                                 std::int64_t classes, const std::string& skip = "") {
    write_weights(file_, WeightFormat::kSafetensors, tensors);
    return begin_with_weights(module, choose_weights(file_ + skip, "mlp", ""), classes);
  }

  /// Of an error after which the module is as it was.
  std::string refusal(torch::nn::Module& module, const NamedTensors& tensors,
                      std::int64_t classes) {
    const auto before = copy_of(module);
    try {
      begin(module, tensors, classes);
    } catch (const UsageError& error) {
      expect_equal(copy_of(module), before);
      return error.what();
    }
    return "no exception";
  }

  TemporaryDirectory directory_;
  const std::string file_ = (directory_.path() / "file").string();
};

/// What `module` shall hold: all of `given`, but `module`'s own where the name begins with `head`.
void expect_all_but(const torch::nn::Module& module, const NamedTensors& given,
                    const NamedTensors& initial, const std::string& head) {
  auto expected = given;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (initial[i].first.starts_with(head)) expected[i] = initial[i];
  }
  expect_equal(copy_of(module), expected);
}

TEST_F(BeginWithWeights, LeavesAHeadOfOtherClassesAtItsInitialValues) {
  const auto from = classifier(1000);
  auto to = classifier(10);
  const auto initial = copy_of(*to);
  const auto head = begin(*to, copy_of(*from), 10);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->text(), "head 3 has 1000 classes there, 10 here: begins anew");
  expect_all_but(*to, copy_of(*from), initial, "3.");
}

TEST_F(BeginWithWeights, FindsTheHeadByWhatItIsNotByItsName) {
  struct Heads : torch::nn::Module {
    Heads(Sequential body, Sequential head) {
      register_module("heads", head);  // before what it comes after
      register_module("body", body);
    }
  };
  const auto network = [](std::int64_t classes) {
    return Heads(Sequential(Linear(3, 4)), Sequential(Conv2d(4, classes, 1)));
  };
  const auto from = network(20);
  auto to = network(7);
  const auto initial = copy_of(to);
  const auto head = begin(to, copy_of(from), 7);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->text(), "head heads.0 has 20 classes there, 7 here: begins anew");
  expect_all_but(to, copy_of(from), initial, "heads.0.");
}

TEST_F(BeginWithWeights, TakesAHeadOfTheSameClasses) {
  const auto from = classifier(10);
  auto to = classifier(10);
  EXPECT_FALSE(begin(*to, copy_of(*from), 10));
  expect_equal(copy_of(*to), copy_of(*from));
}

TEST_F(BeginWithWeights, SaysNothingOfAHeadThatIsSkipped) {
  auto to = classifier(10);
  EXPECT_FALSE(begin(*to, copy_of(*classifier(20)), 10, ":skip=3"));
}

TEST_F(BeginWithWeights, RefusesWhatDiffersBesideTheHead) {
  auto to = classifier(10);
  const auto refused = [&](const Sequential& from) { return refusal(*to, copy_of(*from), 10); };
  // The width of a layer before, which the message tells with the head.
  EXPECT_THAT(refused(classifier(20, 4, 6)),
              AllOf(HasSubstr("does not fit the model"), HasSubstr("0.weight is [6, 3, 1, 1]"),
                    HasSubstr("3.weight is [20, 4], the model wants [10, 4]")));
  EXPECT_THAT(refused(classifier(20, 6)), HasSubstr("3.weight is [20, 6]"));
  EXPECT_THAT(refused(Sequential(Conv2d(3, 5, 1), BatchNorm2d(5), Conv2d(5, 4, 1))),
              HasSubstr("missing: 3.weight, 3.bias"));
  EXPECT_THAT(refused(Sequential(Conv2d(3, 5, 1), BatchNorm2d(5), Conv2d(5, 4, 1),
                                 Linear(LinearOptions(4, 20).bias(false)))),
              HasSubstr("missing: 3.bias"));
  auto more = copy_of(*classifier(20));
  more.emplace_back("3.scale", torch::ones({20}));
  EXPECT_THAT(refusal(*to, more, 10), HasSubstr("unexpected: 3.scale"));
  auto uneven = copy_of(*classifier(20));
  for (auto& [name, tensor] : uneven) {
    if (name == "3.bias") tensor = torch::ones({21});
  }
  EXPECT_THAT(refusal(*to, uneven, 10), HasSubstr("3.bias is [21]"));
}

TEST_F(BeginWithWeights, RefusesALayerOfOtherRowsThatMakesNoScores) {
  auto to = classifier(10);
  EXPECT_THAT(refusal(*to, copy_of(*classifier(20)), 12), HasSubstr("3.weight is [20, 4]"));
}

TEST_F(BeginWithWeights, RefusesToTakeNothingAtAll) {
  const Linear from(4, 20);
  Linear to(4, 10);
  EXPECT_THAT(refusal(*to, copy_of(*from), 10), HasSubstr("weight is [20, 4]"));
}

TEST_F(BeginWithWeights, TakesNamesOutOfTheirWrappers) {
  const auto from = classifier(20);
  for (const std::string wrappers :
       {"module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."}) {
    auto wrapped = copy_of(*from);
    for (auto& [name, tensor] : wrapped) name = wrappers + name;
    auto to = classifier(20), fewer = classifier(10);
    EXPECT_FALSE(begin(*to, wrapped, 20)) << wrappers;
    expect_equal(copy_of(*to), copy_of(*from));
    EXPECT_EQ(begin(*fewer, wrapped, 10)->module, "3") << wrappers;
    EXPECT_FALSE(begin(*fewer, wrapped, 10, ":skip=3")) << wrappers;
    auto strict = classifier(20);
    load_weights(*strict, {.given = file_, .file = file_, .skip = {}});
    expect_equal(copy_of(*strict), copy_of(*from));
  }
}

TEST_F(BeginWithWeights, RefusesNamesOfWhichOnlySomeAreInAWrapper) {
  auto to = classifier(20);
  auto some = copy_of(*classifier(20));
  some.front().first = "module." + some.front().first;
  EXPECT_THAT(refusal(*to, some, 20),
              AllOf(HasSubstr("missing: 0.weight"), HasSubstr("unexpected: module.0.weight")));
}

TEST_F(BeginWithWeights, LeavesNamesOfTheModelItselfThatLookLikeAWrapper) {
  struct Holder : torch::nn::Module {
    Holder() { register_module("module", classifier(20)); }
  };
  const Holder from;
  Holder to;
  EXPECT_FALSE(begin(to, copy_of(from), 20));
  expect_equal(copy_of(to), copy_of(from));
}

TEST_F(BeginWithWeights, TellsOfTheHeadThatATrainingBeginsAnew) {
  const Model from = make_model("mlp", {.image = {1, 28, 28}, .classes = 20}, 5);
  const Model initial = make_model("mlp", {.image = {1, 28, 28}, .classes = 10}, 1);
  write_weights(file_, WeightFormat::kPt, module_state(*from.module));
  const auto run = directory_.path() / "run";
  std::ostringstream output;
  TrainContext context;
  context.output.stream = &output;
  train(test::still_run(run, file_), {}, context);
  const auto head = module_state(*from.module).back().first;
  const auto name = head.substr(0, head.rfind('.'));
  EXPECT_THAT(output.str(), HasSubstr("weights    " + file_ + "; head " + name +
                                      " has 20 classes there, 10 here: begins anew\n"));
  Model trained = make_model("mlp", {.image = {1, 28, 28}, .classes = 10}, 2);
  load_weights(*trained.module, choose_weights((run / "model.safetensors").string(), "mlp", ""));
  expect_all_but(*trained.module, copy_of(*from.module), copy_of(*initial.module), name + ".");
  EXPECT_THAT(read_file(run / "config.toml"), HasSubstr("weights = '" + file_ + "'\n"));
}

}  // namespace
}  // namespace yoke
