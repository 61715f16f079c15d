#include "yoke/data/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using Indices = std::vector<std::int64_t>;

Indices identity(std::int64_t images) {
  Indices result(static_cast<std::size_t>(images));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// What all ranks see in `epoch`: batch by batch, rank by rank.
Indices epoch_order(std::int64_t images, const SizesByEpoch& batch_size, int ranks,
                    std::int64_t epoch, std::uint64_t seed = 1, bool shuffle = true) {
  Indices result;
  const Sampler first(images, batch_size, 0, ranks, seed, shuffle);
  for (std::int64_t step = 0; step < first.epochs().steps(epoch); ++step) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Sampler sampler(images, batch_size, rank, ranks, seed, shuffle);
      const Indices share = sampler.indices(epoch, step);
      result.insert(result.end(), share.begin(), share.end());
    }
  }
  return result;
}

TEST(Sampler, GivesTheSameOrderWhereBatchesGrow) {
  const auto growing = SizesByEpoch::parse("0:5,2:17,3:100", "batch", {.most = 100, .example = ""});
  for (const std::int64_t epoch : {0, 1, 2, 3, 7}) {
    for (const int ranks : {1, 3}) {
      EXPECT_EQ(epoch_order(100, growing, ranks, epoch), epoch_order(100, 10, 1, epoch)) << epoch;
    }
  }
  const Sampler sampler(100, growing, 0, 1, 1, true);
  EXPECT_EQ(sampler.global_size(1, 19), 5);
  EXPECT_EQ(sampler.global_size(2, 5), 15);
  EXPECT_EQ(sampler.images_before(2, 3), 251);
  EXPECT_THROW(Sampler(99, growing, 0, 1, 1, true), UsageError);
}

TEST(Sampler, GivesEachImageOncePerEpochWhateverTheSizes) {
  for (const std::int64_t images : {1, 2, 16, 17, 100}) {
    for (const std::int64_t batch_size : {1, 2, 5, 16, 17, 100}) {
      if (batch_size > images) continue;
      for (const int ranks : {1, 2, 3, 4, 8}) {
        SCOPED_TRACE(fmt::format("{} images, batch {}, {} ranks", images, batch_size, ranks));
        EXPECT_THAT(epoch_order(images, batch_size, ranks, 3),
                    testing::UnorderedElementsAreArray(identity(images)));
      }
    }
  }
}

TEST(Sampler, GivesTheSameGlobalBatchesForAnyNumberOfRanks) {
  const Indices alone = epoch_order(101, 16, 1, 2);
  for (const int ranks : {2, 3, 4, 8}) EXPECT_EQ(epoch_order(101, 16, ranks, 2), alone) << ranks;
}

TEST(Sampler, GivesSharesThatDifferByAtMostOne) {
  for (const std::int64_t step : {0, 1, 2}) {
    std::vector<std::size_t> sizes;
    for (int rank = 0; rank < 4; ++rank) {
      sizes.push_back(Sampler(17, 7, rank, 4, 1, true).indices(0, step).size());
    }
    EXPECT_EQ(sizes, (step < 2 ? std::vector<std::size_t>{2, 2, 2, 1}
                               : std::vector<std::size_t>{1, 1, 1, 0}));
  }
}

TEST(Sampler, CountsStepsAndTheSmallerLastBatch) {
  const Sampler uneven(17, 7, 0, 4, 1, true);
  EXPECT_EQ(uneven.epochs().steps(0), 3);
  EXPECT_EQ(uneven.global_size(0, 1), 7);
  EXPECT_EQ(uneven.global_size(0, 2), 3);
  const Sampler even(16, 8, 0, 4, 1, true);
  EXPECT_EQ(even.epochs().steps(0), 2);
  EXPECT_EQ(even.global_size(0, 1), 8);
}

TEST(Sampler, ShufflesByEpochAndSeedAlone) {
  const Indices order = epoch_order(1000, 10, 1, 4, 7);
  EXPECT_NE(order, identity(1000));
  EXPECT_EQ(order, epoch_order(1000, 10, 1, 4, 7));
  EXPECT_EQ(order, epoch_order(1000, 37, 1, 4, 7));
  EXPECT_NE(order, epoch_order(1000, 10, 1, 5, 7));
  EXPECT_NE(order, epoch_order(1000, 10, 1, 4, 8));
}

/// What all ranks see of images that are drawn by weights.
Indices weighted_epoch(const std::vector<double>& weights, std::int64_t batch_size, int ranks,
                       std::int64_t epoch) {
  const auto order = std::make_shared<const WeightedOrder>(weights);
  const auto images = static_cast<std::int64_t>(weights.size());
  Indices result;
  for (std::int64_t step = 0; step * batch_size < images; ++step) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Indices share =
          Sampler(images, batch_size, rank, ranks, 1, true, order).indices(epoch, step);
      result.insert(result.end(), share.begin(), share.end());
    }
  }
  return result;
}

TEST(WeightedSampler, DrawsTheSameForAnyNumberOfRanks) {
  std::vector<double> weights(101);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 7);
  const Indices alone = weighted_epoch(weights, 16, 1, 2);
  EXPECT_EQ(alone.size(), weights.size());
  for (const int ranks : {2, 3, 8}) EXPECT_EQ(weighted_epoch(weights, 16, ranks, 2), alone);
  EXPECT_EQ(weighted_epoch(weights, 37, 3, 2), alone);
  EXPECT_NE(weighted_epoch(weights, 16, 1, 3), alone);
}

TEST(WeightedSampler, DrawsEachImageAsOftenAsItsWeightSays) {
  const std::vector<double> weights = {0, 1, 0.25, 3, 2, 0.75, 1, 0};
  constexpr int kEpochs = 4000;
  std::vector<double> counts(weights.size());
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    std::vector<int> of_epoch(weights.size());
    for (const auto image : weighted_epoch(weights, 8, 1, epoch)) {
      ++of_epoch[static_cast<std::size_t>(image)];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_GE(of_epoch[i], std::floor(weights[i]));
      EXPECT_LE(of_epoch[i], std::ceil(weights[i]));
      counts[i] += of_epoch[i];
    }
  }
  // Of a share of a half the standard deviation is 0.008, the limit five of them.
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(counts[i] / kEpochs, weights[i], 0.04) << i;
  }
}

TEST(WeightedSampler, ShufflesAsEverWhereAllWeighAlike) {
  for (const double weight : {1.0, 0.1, 3e5}) {
    EXPECT_EQ(weighted_epoch(std::vector<double>(49, weight), 10, 2, 5), epoch_order(49, 10, 1, 5));
  }
}

/// Else two copies of an image would be changed alike.
TEST(WeightedSampler, HasAKeyForEachPlace) {
  const std::vector<double> weights = {1, 0, 0, 5};
  const Sampler sampler(4, 2, 0, 1, 1, true, std::make_shared<const WeightedOrder>(weights));
  std::set<std::int64_t> keys;
  for (const std::int64_t epoch : {0, 1, 2}) {
    for (const std::int64_t step : {0, 1}) {
      for (const std::int64_t place : {0, 1}) keys.insert(sampler.image_key(epoch, step, place));
    }
  }
  EXPECT_EQ(keys.size(), 12);
}

TEST(WeightedSampler, RefusesWeightsThatAreNone) {
  for (const auto& weights : {std::vector<double>{}, std::vector<double>{0, 0},
                              std::vector<double>{1, -1}, std::vector<double>{1, NAN}}) {
    EXPECT_THROW(WeightedOrder{weights}, UsageError);
  }
  EXPECT_THROW(
      Sampler(3, 1, 0, 1, 1, true, std::make_shared<const WeightedOrder>(std::vector<double>{1})),
      Error);
}

TEST(Sampler, ShufflesUniformly) {
  // Each of 3! orders 1000 times of 6000; the standard deviation is 29, the limit five of them.
  std::map<Indices, int> counts;
  for (int epoch = 0; epoch < 6000; ++epoch)
    ++counts[Sampler(3, 3, 0, 1, 1, true).indices(epoch, 0)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 145);
}

TEST(Sampler, GivesTheSameWhenEpochsAreAskedForInAnyOrder) {
  const Sampler sampler(50, 50, 0, 1, 1, true);
  const std::vector<Sampler> copies(1, sampler);
  for (const std::int64_t epoch : {0, 1, 0, 2, 7, 1, 3, 1, 0}) {
    EXPECT_EQ(sampler.indices(epoch, 0), epoch_order(50, 50, 1, epoch)) << epoch;
    EXPECT_EQ(copies.front().indices(epoch, 0), epoch_order(50, 50, 1, epoch)) << epoch;
  }
}

TEST(Sampler, KeepsTheOrderWithoutShuffle) {
  EXPECT_EQ(epoch_order(17, 5, 3, 2, 1, false), identity(17));
}

TEST(Sampler, RejectsABatchThatDoesNotFitTheDataSet) {
  for (const std::int64_t batch_size : {-1, 0, 101}) {
    try {
      const Sampler refused(100, batch_size, 0, 1, 1, true);
      FAIL() << "accepted a batch of " << batch_size;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(fmt::format("batch size {} ", batch_size)));
      EXPECT_THAT(error.what(), testing::HasSubstr("from 1 to 100"));
    }
  }
  EXPECT_THROW(Sampler(0, 1, 0, 1, 1, true), UsageError);
}

TEST(Sampler, RejectsARankThatIsNotThere) {
  EXPECT_THROW(Sampler(10, 1, 2, 2, 1, true), Error);
  EXPECT_THROW(Sampler(10, 1, -1, 2, 1, true), Error);
  EXPECT_THROW(Sampler(10, 1, 0, 0, 1, true), Error);
}

}  // namespace
}  // namespace yoke
