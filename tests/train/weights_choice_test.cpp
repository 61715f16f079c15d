#include "yoke/train/checkpoints/weights_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/data/download/published_weights.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/export.h"
#include "yoke/train/checkpoints/module_state.h"
#include "yoke/train/checkpoints/weights.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of(const std::string& text, const std::string& model,
                       const fs::path& data_dir) {
  try {
    choose_weights(text, model, data_dir);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no exception";
}

class ChooseWeights : public ::testing::Test {
 protected:
  ChooseWeights() {
    fs::create_directories(directory_.path() / "weights");
    write_file(file_, "");
  }

  TemporaryDirectory directory_;
  const fs::path file_ = find_published_weights("resnet18:imagenet").path(directory_.path());
};

TEST_F(ChooseWeights, TakesAFileAndWhatToSkip) {
  const auto plain = choose_weights("a/b.pt", "mlp", "");
  EXPECT_EQ(plain.file, "a/b.pt");
  EXPECT_EQ(plain.given, "a/b.pt");
  EXPECT_TRUE(plain.skip.empty());
  const auto skipping = choose_weights("a/b.pt:skip=fc+layer4.1", "mlp", "");
  EXPECT_EQ(skipping.file, "a/b.pt");
  EXPECT_EQ(skipping.given, "a/b.pt");
  EXPECT_THAT(skipping.skip, ElementsAre("fc", "layer4.1"));
}

TEST_F(ChooseWeights, TakesWhatWasFetchedByName) {
  const auto full = choose_weights("resnet18:imagenet", "mlp", directory_.path());
  EXPECT_EQ(full.file, file_);
  EXPECT_EQ(full.given, "resnet18:imagenet");
  EXPECT_TRUE(full.skip.empty());
  const auto skipping = choose_weights("resnet18:imagenet:skip=fc", "mlp", directory_.path());
  EXPECT_EQ(skipping.file, file_);
  EXPECT_THAT(skipping.skip, ElementsAre("fc"));
}

TEST_F(ChooseWeights, TakesANameOfTheModelsOwn) {
  const auto chosen =
      choose_weights("imagenet:skip=fc+conv1", "resnet18:stem=cifar", directory_.path());
  EXPECT_EQ(chosen.file, file_);
  EXPECT_EQ(chosen.given, "imagenet");
  EXPECT_THAT(chosen.skip, ElementsAre("fc", "conv1"));
}

TEST_F(ChooseWeights, SaysHowToFetchWhatIsNotThere) {
  const std::string command =
      "`yoke weights fetch resnet50:imagenet-v2 --data-dir " + directory_.path().string() + "`";
  for (const char* const text : {"imagenet-v2", "resnet50:imagenet-v2:skip=fc"}) {
    EXPECT_THAT(refusal_of(text, "resnet50", directory_.path()),
                AllOf(HasSubstr(command), HasSubstr("resnet50-11ad3fa6.pth")));
  }
}

TEST_F(ChooseWeights, AnswersUnknownNamesByTheNearest) {
  const auto refused = [&](const std::string& text, const std::string& model) {
    return refusal_of(text, model, directory_.path());
  };
  EXPECT_THAT(refused("resnt18:imagenet", "mlp"), HasSubstr("did you mean 'resnet18:imagenet'?"));
  EXPECT_THAT(refused("resnet18:imagnet:skip=fc", "mlp"),
              HasSubstr("did you mean 'resnet18:imagenet'?"));
  EXPECT_THAT(refused("imagnet", "resnet18"),
              AllOf(HasSubstr("no such file"), HasSubstr("did you mean 'imagenet'?")));
  EXPECT_THAT(refused("imagenet", "mlp"),
              AllOf(HasSubstr("no weights 'mlp:imagenet'"), HasSubstr("resnet50:imagenet-v2")));
  EXPECT_THAT(refused("imagenet:only=fc", "resnet18"), AllOf(HasSubstr("only"), HasSubstr("skip")));
}

TEST(PublishedWeights, AreOfModelsThatThereAre) {
  for (const auto& weights : published_weights()) {
    EXPECT_NO_THROW(models().find(std::string(weights.model))) << weights.full_name();
  }
}

/// The names and shapes, and the number of classes, are those of the published file.
TEST(PublishedWeights, FitTheirModelsAsTorchvisionNamesThem) {
  const auto copy = test::real_data("weights");
  if (!copy) GTEST_SKIP() << "no copy of weights on this machine";
  for (const auto& weights : published_weights()) {
    const Model model = make_model(weights.model, {.image = {3, 224, 224}, .classes = 1000}, 1);
    load_weights(*model.module, choose_weights((*copy / weights.file).string(), "mlp", ""));
  }
}

/// A training on grey images of ten classes with what lies where it was fetched to.
TEST(TrainWithPublishedWeights, BeginsWithThemAndTellsTheirName) {
  const TemporaryDirectory directory;
  const fs::path file = find_published_weights("resnet18:imagenet").path(directory.path());
  fs::create_directories(file.parent_path());
  const Model from = make_model("resnet18", {.image = {3, 224, 224}, .classes = 1000}, 5);
  write_weights(file, WeightFormat::kPt, module_state(*from.module));
  for (const std::string name : {"imagenet:skip=conv1", "resnet18:imagenet:skip=conv1"}) {
    const fs::path run = directory.path() / name;
    auto config = test::small_run(run, "resnet18");
    config.data = "glyphs:train=8,validation=8";
    config.data_dir = directory.path();
    config.weights = name;
    config.batch_size = 8;
    config.max_steps = 1;
    config.optimizer = "sgd";
    config.lr = 0;
    std::ostringstream output;
    TrainContext context;
    context.output.stream = &output;
    train(config, {}, context);
    EXPECT_THAT(output.str(), HasSubstr("weights    " + name + "; head fc has 1000 classes there"));
    EXPECT_THAT(read_file(run / "config.toml"), HasSubstr("weights = '" + name + "'\n"));
    EXPECT_EQ(test::summary(run).at("weights"), name);
  }
}

}  // namespace
}  // namespace yoke
