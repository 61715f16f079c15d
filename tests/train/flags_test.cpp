#include "yoke/train/config/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using testing::HasSubstr;

std::string apply_text(const std::string& toml) {
  const test::TemporaryDirectory directory;
  write_file(directory.path() / "recipe.toml", toml);
  TrainConfig config;
  try {
    apply_recipe(config, read_recipe(directory.path() / "recipe.toml"), "recipe.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainFlags, EveryValueSurvivesARecipe) {
  TrainConfig config;
  config.model = "mlp:hidden=3";
  config.epochs = 7;
  config.target_accuracy = 0.97;
  config.lr = 1.0 / 3;
  config.tensorboard = false;
  config.out = "a \"quoted\" folder";
  config.checkpoint_every = Interval::parse("0.5epochs", "");
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "config.toml";
  write_file(path, recipe_text(to_recipe(config)));
  TrainConfig again;
  apply_recipe(again, read_recipe(path), path.string());
  EXPECT_EQ(recipe_text(to_recipe(again)), recipe_text(to_recipe(config)));
  EXPECT_EQ(again.lr, config.lr);
  EXPECT_EQ(again.out, config.out);
  EXPECT_FALSE(again.max_steps.has_value());
}

TEST(TrainFlags, EveryFlagIsReadBackAsWritten) {
  for (const auto& entry : to_recipe(TrainConfig())) {
    for (const auto& flag : train_flags()) {
      if (flag.name != entry.key) continue;
      TrainConfig config;
      EXPECT_NO_THROW(flag.set(config, entry.value)) << flag.name << " = " << entry.value;
      EXPECT_EQ(flag.get(config), entry.value) << flag.name;
    }
  }
}

TEST(TrainFlags, KeepHostsAndPlacesOutWhereAsked) {
  TrainConfig config;
  config.out = "somewhere";
  config.threads = 3;
  for (const auto& entry : to_recipe(config, kPlace)) {
    EXPECT_NE(entry.key, "out");
    EXPECT_NE(entry.key, "resume");
  }
  for (const auto& entry : to_recipe(config, kHost)) EXPECT_NE(entry.key, "threads");
  EXPECT_THAT(flags_that_are(kIdentity), testing::IsSupersetOf({"model", "seed", "batch-size"}));
  EXPECT_THAT(flags_that_are(kStepCost, kMeasured),
              testing::AllOf(testing::IsSupersetOf({"precision", "data", "data-dir"}),
                             testing::Not(testing::Contains("batch-size"))));
}

TEST(TrainFlags, TellWhatWasFoundOutWhereItWasNotGiven) {
  TrainConfig config;
  Resolved resolved;
  resolved.lr = 0.25;
  resolved.threads = 3;
  const auto written = [&](const std::string& key) -> std::string {
    for (const auto& entry : run_recipe(config, resolved)) {
      if (entry.key == key) return entry.value;
    }
    return "nothing";
  };
  EXPECT_EQ(written("lr"), "0.25");
  EXPECT_EQ(written("threads"), "0") << "as given";
  EXPECT_EQ(written("out"), "nothing");
  EXPECT_EQ(written("target-accuracy"), "nothing");
  for (const auto& entry : to_recipe(config)) EXPECT_NE(entry.key, "lr");
  config.lr = 0.5;
  EXPECT_EQ(written("lr"), "0.5");
}

TEST(TrainFlags, UnknownKeyNamesLineAndKeys) {
  const auto message = apply_text("model = \"mlp\"\nbatch_sise = 3\n");
  EXPECT_THAT(message, HasSubstr("recipe.toml:2"));
  EXPECT_THAT(message, HasSubstr("batch-sise"));
  EXPECT_THAT(message, HasSubstr("batch-size"));
}

TEST(TrainFlags, WrongValuesSayWhatIsAllowed) {
  EXPECT_THAT(apply_text("epochs = 0\n"), HasSubstr("a whole number from 1 on"));
  EXPECT_THAT(apply_text("epochs = 1.5\n"), HasSubstr("whole number"));
  EXPECT_THAT(apply_text("threads = 4294967297\n"), HasSubstr("from 0 to 1024"));
  EXPECT_THAT(apply_text("loader-threads = 4294967297\n"), HasSubstr("from 0 to 1024"));
  EXPECT_THAT(apply_text("target-accuracy = 97\n"), HasSubstr("a number above 0, at most 1"));
  EXPECT_THAT(apply_text("engine = \"fast\"\n"), HasSubstr("auto, eager"));
  EXPECT_THAT(apply_text("tensorboard = \"perhaps\"\n"), HasSubstr("on, off"));
  EXPECT_THAT(apply_text("optimizer = {name = \"sgd\"}\n"), HasSubstr("as on the"));
  EXPECT_THAT(apply_text("epochs = = 3\n"), HasSubstr(":1:"));
}

TEST(TrainFlags, BothBatchSizesExcludeEachOther) {
  TrainConfig config;
  config.batch_size = 1;
  EXPECT_NO_THROW(validate(config));
  config.batch_size_per_rank = 1;
  EXPECT_THROW(validate(config), UsageError);
}

}  // namespace
}  // namespace yoke
