// tests/train/augmentation_sets_test.cpp: what --augment stands for.
#include "yoke/train/config/augmentation_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/core/files/recipe.h"

namespace yoke::test {
namespace {

TrainConfig with_set(const std::string& data, AugmentationSet set) {
  TrainConfig config;
  config.data = data;
  config.augment = set;
  apply_augmentation_set(config);
  return config;
}

TEST(AugmentationSets, AreNothingWhereNoneIsGiven) {
  TrainConfig config;
  config.data = "cifar10:crop=2";
  apply_augmentation_set(config);
  EXPECT_EQ(config.data, "cifar10:crop=2");
  EXPECT_FALSE(config.mixup || config.cutmix);
}

TEST(AugmentationSets, AreAsTheirPageSays) {
  const auto data = [](const std::string& name, AugmentationSet set) {
    return with_set(name, set).data;
  };
  EXPECT_EQ(data("cifar10", AugmentationSet::kNone),
            "cifar10:crop=0,flip=false,auto_augment=none,random_erase=0");
  EXPECT_EQ(data("cifar10", AugmentationSet::kLight),
            "cifar10:crop=4,flip=true,auto_augment=none,random_erase=0");
  EXPECT_EQ(data("imagenet64", AugmentationSet::kStandard),
            "imagenet64:crop=8,flip=true,auto_augment=trivial-augment-wide,random_erase=0.1");
  EXPECT_EQ(data("mnist", AugmentationSet::kLight),  // a mirrored digit is none
            "mnist:crop=3,flip=false,auto_augment=none,random_erase=0");
  EXPECT_EQ(data("image-folder:size=64", AugmentationSet::kStrong),
            "image-folder:size=64,scale=0.08,flip=true,auto_augment=trivial-augment-wide,"
            "random_erase=0.1");
  for (const auto set :
       {AugmentationSet::kNone, AugmentationSet::kLight, AugmentationSet::kStandard}) {
    EXPECT_EQ(with_set("cifar10", set).mixup, 0);
    EXPECT_EQ(with_set("cifar10", set).cutmix, 0);
  }
  EXPECT_EQ(with_set("cifar10", AugmentationSet::kStrong).mixup, 0.2);
  EXPECT_EQ(with_set("cifar10", AugmentationSet::kStrong).cutmix, 1);
}

TEST(AugmentationSets, LeaveWhatIsGivenByItself) {
  EXPECT_EQ(with_set("cifar10:flip=false,crop=2", AugmentationSet::kLight).data,
            "cifar10:flip=false,crop=2,auto_augment=none,random_erase=0");
  EXPECT_EQ(with_set("image-folder:area=0.5", AugmentationSet::kLight).data,
            "image-folder:area=0.5,flip=true,auto_augment=none,random_erase=0");
  TrainConfig config;
  config.augment = AugmentationSet::kStrong;
  config.mixup = 0;
  apply_augmentation_set(config);
  EXPECT_EQ(config.mixup, 0);
  EXPECT_EQ(config.cutmix, 1);
}

/// On every data set there is: what it says is accepted, and twice is once.
TEST(AugmentationSets, FitEveryDataSet) {
  for (const auto& name : datasets().names()) {
    for (const auto set : {AugmentationSet::kNone, AugmentationSet::kLight,
                           AugmentationSet::kStandard, AugmentationSet::kStrong}) {
      TrainConfig config = with_set(name, set);
      const std::string once = config.data;
      EXPECT_NO_THROW(datasets().choose(once)) << once;
      apply_augmentation_set(config);
      EXPECT_EQ(config.data, once);
    }
  }
}

/// A run writes down what it did, and a run by that file is the same.
TEST(AugmentationSets, AreWrittenDownInFull) {
  const TemporaryDirectory directory;
  const auto path = directory.path();
  const auto words = [&](const char* out, const std::string& flags) {
    return train_words(path / out, "--model mlp --max-steps 4 --threads 1 -b 32 " + flags);
  };
  const auto first =
      run_yoke(words("first", "--data glyphs:train=96,validation=32 --augment strong"));
  ASSERT_EQ(first.status, 0) << first.output;
  const std::string written = read_file(path / "first" / "config.toml");
  EXPECT_THAT(written, testing::HasSubstr("augment = 'strong'"));
  EXPECT_THAT(written, testing::HasSubstr("crop=3,flip=false,auto_augment=trivial-augment-wide,"
                                          "random_erase=0.1"));
  EXPECT_THAT(written, testing::HasSubstr("mixup = 0.2"));
  EXPECT_THAT(written, testing::HasSubstr("cutmix = 1"));
  const auto second =
      run_yoke(words("second", "--recipe " + (path / "first" / "config.toml").string()));
  ASSERT_EQ(second.status, 0) << second.output;
  EXPECT_EQ(read_file(path / "first" / "model.safetensors"),
            read_file(path / "second" / "model.safetensors"));
}

TEST(AugmentationSets, ThatAreNoneAreRefused) {
  const auto result = run_yoke({"train", "--augment", "heavy"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, testing::HasSubstr("none, light, standard, strong"));
}

}  // namespace
}  // namespace yoke::test
