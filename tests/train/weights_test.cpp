#include "yoke/train/checkpoints/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <set>

#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/export.h"
#include "yoke/train/checkpoints/module_state.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::expect_equal;
using test::small_run;
using test::still_run;
using test::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A body with batch norm, and a last layer.
struct Classifier : torch::nn::Module {
  explicit Classifier(std::int64_t classes = 2)
      : body(register_module("body", torch::nn::Linear(3, 4))),
        norm(register_module("norm", torch::nn::BatchNorm1d(4))),
        fc(register_module("fc", torch::nn::Linear(4, classes))) {
    norm->running_mean.normal_();
    norm->num_batches_tracked.fill_(9);
  }
  torch::nn::Linear body;
  torch::nn::BatchNorm1d norm;
  torch::nn::Linear fc;
};

NamedTensors copies(const torch::nn::Module& module) { return snapshot(module_state(module)); }

class Weights : public ::testing::Test {
 protected:
  /// Writes `tensors` and loads the file into `module`.
  void load(torch::nn::Module& module, const NamedTensors& tensors, const std::string& skip = "") {
    write_weights(file_, WeightFormat::kSafetensors, tensors);
    load_weights(module, choose_weights(file_.string() + skip, "mlp", ""));
  }

  /// The message of that, after which the module is as it was.
  std::string failure(torch::nn::Module& module, const NamedTensors& tensors,
                      const std::string& skip = "") {
    const auto before = copies(module);
    std::string message = "no exception";
    try {
      load(module, tensors, skip);
    } catch (const UsageError& error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr(file_.string()));
    expect_equal(copies(module), before);
    return message;
  }

  TemporaryDirectory directory_;
  const fs::path file_ = directory_.path() / "file";
};

TEST_F(Weights, AreReadInBothFormatsWhateverTheName) {
  const Classifier from;
  for (const auto format : {WeightFormat::kSafetensors, WeightFormat::kPt}) {
    Classifier to;
    write_weights(file_, format, module_state(from));
    load_weights(to, choose_weights(file_.string(), "mlp", ""));
    expect_equal(module_state(to), module_state(from));
    EXPECT_TRUE(to.body->weight.requires_grad());
  }
}

TEST_F(Weights, AreToldByContentWhateverTheHeadersLength) {
  std::set<char> lengths;  // their lowest byte, where a zip archive or a pickle has its mark
  for (int name = 1; name < 256; name += 5) {
    write_weights(file_, WeightFormat::kSafetensors, {{std::string(name, 'x'), torch::ones({1})}});
    lengths.insert(read_file(file_).front());
    EXPECT_EQ(read_weights(file_).size(), 1) << name;
  }
  EXPECT_TRUE(lengths.contains('P') && lengths.contains('\x80'));
}

TEST_F(Weights, AreConverted) {
  const Classifier from;
  for (const auto type : {torch::kFloat64, torch::kFloat16, torch::kBFloat16}) {
    auto state = copies(from);
    for (auto& [name, tensor] : state) {
      tensor = tensor.to(tensor.is_floating_point() ? type : torch::kInt32);
    }
    Classifier to;
    load(to, state);
    EXPECT_TRUE(torch::equal(to.body->weight, from.body->weight.to(type).to(torch::kFloat32)));
    EXPECT_EQ(to.norm->num_batches_tracked.item<std::int64_t>(), 9);
    EXPECT_EQ(to.body->weight.scalar_type(), torch::kFloat32);
  }
}

TEST_F(Weights, MayLackTheCountOfBatches) {
  auto state = copies(Classifier());
  std::erase_if(state, [](const auto& item) { return item.first == "norm.num_batches_tracked"; });
  Classifier to;
  to.norm->num_batches_tracked.fill_(3);
  load(to, state);
  EXPECT_EQ(to.norm->num_batches_tracked.item<std::int64_t>(), 3);
  EXPECT_TRUE(torch::equal(to.norm->running_mean, state[6].second));
}

TEST_F(Weights, MayHaveTheOlderNamesOfDensenets) {
  const ModelInput input{{3, 64, 64}, 10};
  const Model from = make_model("densenet121", input, 1), to = make_model("densenet121", input, 2);
  auto state = copies(*from.module);
  int renamed = 0;
  for (auto& [name, tensor] : state) {
    if (name.find("denselayer") == std::string::npos) continue;
    const auto number = name.rfind('.') - 1;  // of denselayer1.norm1.weight
    name = fmt::format("{}.{}", name.substr(0, number), name.substr(number));
    ++renamed;
  }
  EXPECT_EQ(renamed, 58 * (2 * 5 + 2));
  load(*to.module, state);
  expect_equal(module_state(*to.module), module_state(*from.module));
}

TEST_F(Weights, TellWhatDiffersAndHowToLeaveItOut) {
  Classifier to(5);
  const auto message = failure(to, copies(Classifier(2)));
  EXPECT_THAT(message, HasSubstr("different: fc.weight is [2, 4], the model wants [5, 4], "
                                 "fc.bias is [2], the model wants [5]"));
  EXPECT_THAT(message, HasSubstr("--weights " + file_.string() + ":skip=fc"));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("missing")), Not(HasSubstr("unexpected"))));
}

TEST_F(Weights, TellWhatIsMissingOrUnexpected) {
  Classifier to;
  auto state = copies(Classifier());
  state[0].first = "head.weight";
  state.back().second = state.back().second.to(torch::kFloat32);
  const auto message = failure(to, state);
  EXPECT_THAT(message, HasSubstr("missing: body.weight"));
  EXPECT_THAT(message, HasSubstr("unexpected: head.weight"));
  EXPECT_THAT(message, HasSubstr("is [], the model wants whole numbers []"));
  EXPECT_THAT(message, HasSubstr(":skip=body+head+norm"));
  EXPECT_THAT(failure(to, {{"a.x", torch::ones(1)}, {"b.x", torch::ones(1)}}),
              AllOf(HasSubstr("give the model"), Not(HasSubstr("skip"))));
}

TEST_F(Weights, LeaveWhatIsSkippedAtItsInitialValues) {
  Classifier to(5);
  const Classifier from(2);
  const auto initial = to.fc->weight.clone();
  load(to, copies(from), ":skip=fc");
  EXPECT_TRUE(torch::equal(to.fc->weight, initial));
  EXPECT_TRUE(torch::equal(to.body->weight, from.body->weight));
  EXPECT_TRUE(torch::equal(to.norm->running_mean, from.norm->running_mean));
  auto without = copies(from);
  std::erase_if(without, [](const auto& item) { return item.first.starts_with("fc."); });
  without.emplace_back("head.weight", torch::ones({3}));
  load(to, without, ":skip=fc+head.weight");
  EXPECT_TRUE(torch::equal(to.fc->weight, initial));
}

TEST_F(Weights, RefuseToSkipWhatIsNowhere) {
  Classifier to;
  EXPECT_THAT(failure(to, copies(to), ":skip=f"), HasSubstr("skip=f "));
  EXPECT_THAT(failure(to, copies(to), ":skip=fc+head"), HasSubstr("skip=head "));
  EXPECT_THAT(failure(to, copies(to), ":only=fc"), AllOf(HasSubstr("only"), HasSubstr("skip")));
}

TEST_F(Weights, AreRefusedWhereTheyAreNeitherFormat) {
  EXPECT_THROW(read_weights(file_), UsageError);  // there is none
  EXPECT_THROW(read_weights(directory_.path()), UsageError);
  for (const char* const content : {"", "short", "a text of some length"}) {
    write_file(file_, content);
    try {
      read_weights(file_);
      ADD_FAILURE() << "was read: " << content;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file_.string()), HasSubstr("neither")));
    }
  }
}

TEST(TrainWithWeights, BeginsWithThem) {
  const TemporaryDirectory directory;
  const auto first = directory.path() / "first", second = directory.path() / "second";
  train(small_run(first));
  auto config = still_run(second, first / "model.safetensors");
  config.seed = 2;
  train(config);
  expect_equal(read_weights(second / "model.safetensors"),
               read_weights(first / "model.safetensors"));
  EXPECT_THAT(read_file(second / "config.toml"), HasSubstr("weights = "));
}

TEST(TrainWithWeights, BeginsAlikeOnAllRanks) {
  const TemporaryDirectory directory;
  const auto first = directory.path() / "first", second = directory.path() / "second";
  train(small_run(first));
  test::run_ranks_well(2,
                       test::train_words(second,
                                         "--model mlp --data glyphs:train=512,validation=130 "
                                         "--epochs 1 --optimizer sgd --lr 0 --threads 1 "
                                         "--strategy allreduce:check_every=1 --seed 2 --weights " +
                                             (first / "model.safetensors").string()));
  expect_equal(read_weights(second / "model.safetensors"),
               read_weights(first / "model.safetensors"));
}

TEST(TrainWithWeights, GoesOnFromACheckpointInstead) {
  const TemporaryDirectory directory;
  const auto first = directory.path() / "first", second = directory.path() / "second";
  train(small_run(first));
  auto config = small_run(second);
  config.weights = first / "model.safetensors";
  config.checkpoint_every = Interval::parse("1epoch", "");
  config.epochs = 1;
  train(config);
  const auto whole = read_weights(second / "model.safetensors");
  fs::remove_all(first);
  config.resume = "auto";
  train(config);  // nothing is left to do
  expect_equal(read_weights(second / "model.safetensors"), whole);
}

TEST(TrainWithWeights, LeavesNothingBehindWhereTheyDoNotFit) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "weights.pt";
  write_pt(file, {{"x", torch::ones({1})}});
  EXPECT_THROW(train(still_run(directory.path() / "run", file)), UsageError);
  EXPECT_THROW(train(still_run(directory.path() / "run", "/nowhere.pt")), UsageError);
  EXPECT_FALSE(fs::exists(directory.path() / "run"));
}

}  // namespace
}  // namespace yoke
