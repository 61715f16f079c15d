// tests/parallel/training.h: a small classifier that strategies train over ranks that are threads.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tests/support/ranks.h"
#include "yoke/core/batch.h"
#include "yoke/models/model.h"
#include "yoke/parallel/strategy.h"

namespace yoke::test {

/// Two linear layers over 12 pixels, without dropout, the same wherever it is made.
Model classifier(int seed);

/// Images for it, of 4 classes.
Batch batch_of(std::int64_t images);

/// This rank's share of a batch, as uneven as can be: rank r has r parts, rank -1 none.
Batch share_of(const Batch& whole, int rank, int ranks);

/// What a training does; by itself six steps.
struct Training {
  std::string strategy;
  int ranks = 1;
  std::string comm = "shared-memory";
  std::string optimizer = "sgd:momentum=0.9";
  int steps = 6;
  int steps_per_epoch = 3;
  double lr = 0.1;
  std::optional<double> momentum = {};  ///< Of a schedule; else the optimizer's own.
};

/// What it came to.
struct Trained {
  std::vector<double> losses;  ///< Means over the images of all ranks, by step.
  torch::Tensor values;        ///< The parameters, the same on all ranks.
  Counters counters;
};

/// Takes steps of 17 images, the last of 1: then all ranks but one have none. Ranks begin with
/// different parameters and must have the same ones after every step in which they meet.
Trained train(const Training& training);

/// Losses and parameters are the same but for `tolerance`.
void expect_near(const Trained& a, const Trained& b, double tolerance);

}  // namespace yoke::test
