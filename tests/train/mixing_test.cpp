// tests/train/mixing_test.cpp: what --mixup and --cutmix do to a training, and to nothing else.
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke::test {
namespace {

struct Learned {
  double loss, top1, val_loss;  ///< Of training, in the last report; of validation.
};

/// What a run of `config`'s flags comes to with both kinds of mixing set so.
Learned learned(TrainConfig config, double mixup, double cutmix) {
  const TemporaryDirectory directory;
  config.out = directory.path() / "run";
  config.mixup = mixup;
  config.cutmix = cutmix;
  train(config);
  Learned found{};
  for (const auto& report : reports(config.out)) {
    if (report.at("split") != "train") continue;
    found.loss = report.at("loss");
    found.top1 = report.at("top1");
  }
  found.val_loss = summary(config.out).at("val_loss");
  return found;
}

/// Targets of two classes keep the loss above their entropy.
TEST(Mixing, MakesTheTrainingHarder) {
  auto config = small_run("");
  config.epochs = 12;
  const Learned plain = learned(config, 0, 0);
  EXPECT_LT(plain.loss, 0.4);
  for (const auto& [mixup, cutmix] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)}) {
    const Learned mixed = learned(config, mixup, cutmix);
    EXPECT_GT(mixed.loss, plain.loss + 0.3) << mixup << ", " << cutmix;
    EXPECT_LT(mixed.top1, plain.top1) << mixup << ", " << cutmix;
  }
}

/// Of weights that do not move.
TEST(Mixing, LeavesImagesOfValidationAsTheyAre) {
  auto config = small_run("");
  config.optimizer = "sgd";
  config.lr = 0;
  config.epochs = 1;
  const Learned plain = learned(config, 0, 0), mixed = learned(config, 1, 1);
  EXPECT_NE(mixed.loss, plain.loss);
  EXPECT_EQ(mixed.val_loss, plain.val_loss);
}

}  // namespace
}  // namespace yoke::test
