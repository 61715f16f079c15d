// tests/data/mix_test.cpp: mixup and CutMix: what is drawn, and that ranks and resumes mix alike.
#include "yoke/data/transforms/mix.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <numeric>

#include "yoke/data/loader.h"

namespace yoke {
namespace {

constexpr ImageShape kShape{3, 16, 20};
constexpr std::int64_t kImages = 37, kBatchSize = 9, kSteps = 10;  // the last of an epoch has one

/// Noise, of five classes.
class NoiseImages final : public Dataset {
 public:
  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return kImages; }
  std::int64_t label(std::int64_t index) const override { return index * 7 % 5; }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    scratch.resize(static_cast<std::size_t>(kShape.elements()));
    RandomStream random(1, 0, static_cast<std::uint64_t>(index), Purpose::kTest);
    for (auto& pixel : scratch) pixel = static_cast<std::uint8_t>(random.below(256));
    return scratch;
  }

 private:
  DatasetInfo info_{.name = "noise",
                    .image = kShape,
                    .class_names = {"a", "b", "c", "d", "e"},
                    .mean = {0.5F, 0.25F, 0.5F},
                    .deviation = {0.5F, 0.5F, 0.25F}};
};

std::vector<Batch> load(const Mixing& mixing, int rank = 0, int ranks = 1, std::int64_t first = 0,
                        int threads = 1, std::int64_t crop = 1) {
  const auto data = std::make_shared<NoiseImages>();
  Loader loader(data, Sampler(kImages, kBatchSize, rank, ranks, 3, true),
                Transform(data->info(), {.crop = crop, .flip = true}), 3, first, kSteps,
                {.threads = threads}, mixing);
  std::vector<Batch> batches;
  for (std::int64_t step = first; step < kSteps; ++step) batches.push_back(loader.next());
  return batches;
}

void expect_equal(const Batch& found, const Batch& expected) {
  EXPECT_TRUE(found.input.equal(expected.input));
  EXPECT_TRUE(found.target.equal(expected.target));
  EXPECT_TRUE(found.other_target.equal(expected.other_target));
  EXPECT_TRUE(found.other_share.equal(expected.other_share));
}

constexpr Mixing kMixup{.mixup = 0.2}, kCutMix{.cutmix = 1}, kBoth{.mixup = 0.2, .cutmix = 1};

class EveryMixing : public testing::TestWithParam<Mixing> {};

TEST_P(EveryMixing, IsAlikeOnAnyNumberOfRanks) {
  const auto one = load(GetParam());
  for (const int ranks : {2, 3, 5}) {
    std::vector<std::vector<Batch>> parts;
    for (int rank = 0; rank < ranks; ++rank) parts.push_back(load(GetParam(), rank, ranks));
    for (std::size_t step = 0; step < one.size(); ++step) {
      std::vector<torch::Tensor> input, target, other, share;
      for (const auto& part : parts) {
        input.push_back(part[step].input);
        target.push_back(part[step].target);
        other.push_back(part[step].other_target);
        share.push_back(part[step].other_share);
      }
      expect_equal({.input = torch::cat(input),
                    .target = torch::cat(target),
                    .other_target = torch::cat(other),
                    .other_share = torch::cat(share)},
                   one[step]);
    }
  }
}

TEST_P(EveryMixing, IsAlikeAfterAResumeAndWithMoreThreads) {
  const auto whole = load(GetParam());
  const auto rest = load(GetParam(), 0, 1, 3), threads = load(GetParam(), 0, 1, 0, 3);
  for (std::size_t i = 0; i < rest.size(); ++i) expect_equal(rest[i], whole[i + 3]);
  for (std::size_t i = 0; i < whole.size(); ++i) expect_equal(threads[i], whole[i]);
}

/// How far image `is` is from one that has `share` of the other image, as a mean of both or by
/// whole pixels.
double distance(const torch::Tensor& is, const torch::Tensor& own, const torch::Tensor& other,
                double share) {
  const double mean = (is - torch::lerp(own, other, share)).abs().max().item<double>();
  const auto from_own = is.eq(own).all(0), from_other = is.eq(other).all(0);
  if (!(from_own | from_other).all().item<bool>()) return mean;
  const double pixels = (~from_own).to(torch::kFloat64).mean().item<double>();
  return std::min(mean, std::abs(pixels - share));
}

/// Each image is a share of its own and of its partner's, as they are without mixing.
TEST_P(EveryMixing, LeavesOfEachImageWhatItsClassWeighs) {
  const auto plain = load({}, 0, 1, 0, 1, /*crop=*/0);
  const auto mixed = load(GetParam(), 0, 1, 0, 1, /*crop=*/0);
  std::int64_t changed = 0, swapped = 0;
  for (std::size_t step = 0; step < mixed.size(); ++step) {
    const Batch &was = plain[step], &is = mixed[step];
    for (std::int64_t i = 0; i < is.size(); ++i) {
      const std::int64_t partner = partner_of(i, is.size());
      const auto own = was.target[i].item<std::int64_t>();
      const auto other = was.target[partner].item<std::int64_t>();
      const double light = is.other_share[i].item<double>();
      ASSERT_GE(light, 0);
      ASSERT_LE(light, 0.5);
      const auto has = [&](std::int64_t heavy_class, std::int64_t light_class, double share) {
        return is.target[i].item<std::int64_t>() == heavy_class &&
               is.other_target[i].item<std::int64_t>() == light_class &&
               distance(is.input[i], was.input[i], was.input[partner], share) < 1e-5;
      };
      const bool as_is = has(own, other, light), other_first = has(other, own, 1 - light);
      EXPECT_TRUE(as_is || other_first) << "step " << step << ", image " << i;
      changed += light > 0;
      swapped += !as_is;
    }
  }
  EXPECT_GT(changed, kSteps * kBatchSize / 4);
  EXPECT_GT(swapped, 0);
}

INSTANTIATE_TEST_SUITE_P(
    By, EveryMixing, testing::Values(kMixup, kCutMix, kBoth), [](const auto& info) {
      const Mixing& mixing = info.param;
      return std::string(mixing.mixup == 0 ? "cutmix" : mixing.cutmix == 0 ? "mixup" : "both");
    });

TEST(Partners, AreNeighboursAndNeverAlone) {
  EXPECT_EQ(partner_of(0, 2), 1);
  EXPECT_EQ(partner_of(1, 2), 0);
  EXPECT_EQ(partner_of(6, 7), 5);  // the last of an odd number
  EXPECT_EQ(partner_of(5, 7), 4);
  EXPECT_EQ(partner_of(0, 1), 0);
}

/// Beta(a, a) has the mean 1/2 and the variance 1 / (4 (2 a + 1)).
TEST(Mixup, DrawsSharesFromTheBetaDistribution) {
  for (const double alpha : {0.2, 1.0, 4.0}) {
    constexpr int kDraws = 20'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      RandomStream random(1, 0, static_cast<std::uint64_t>(i), Purpose::kMix);
      const PairMix mix = draw_mix({.mixup = alpha}, kShape, random);
      ASSERT_FALSE(mix.box);
      sum += mix.share;
      squares += mix.share * mix.share;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    EXPECT_NEAR(mean, 0.5, 0.01);
    EXPECT_NEAR(variance, 1 / (4 * (2 * alpha + 1)), 0.005);
  }
}

TEST(Mixup, OfTheSmallestAlphaTakesOneOfBoth) {
  RandomStream random(1, 0, 0, Purpose::kMix);
  for (int i = 0; i < 100; ++i) {
    const float share = draw_mix({.mixup = 1e-9}, kShape, random).share;
    EXPECT_TRUE(share < 1e-6F || share > 1 - 1e-6F) << share;
  }
}

/// With alpha 1 lambda is uniform; of an image so large that borders are all that rounding does,
/// the mean share is the mean of box areas whose middle is uniform in the image.
TEST(CutMix, DrawsBoxesThatWeighWhatTheyCover) {
  constexpr ImageShape kLarge{1, 400, 300};
  constexpr int kDraws = 20'000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    RandomStream random(1, 0, static_cast<std::uint64_t>(i), Purpose::kMix);
    const PairMix mix = draw_mix({.cutmix = 1}, kLarge, random);
    ASSERT_TRUE(mix.box);
    ASSERT_LE(0, mix.top);
    ASSERT_LE(mix.bottom, kLarge.height);
    ASSERT_LE(0, mix.left);
    ASSERT_LE(mix.right, kLarge.width);
    const auto pixels = static_cast<double>((mix.bottom - mix.top) * (mix.right - mix.left));
    EXPECT_NEAR(mix.share, pixels / (400 * 300), 1e-6);
    sum += mix.share;
  }
  // A side of length r whose middle is uniform in [0, 1] keeps r - r^2/4 inside; r^2 is uniform:
  // E[(r - r^2/4)^2] = E[r^2 - r^3/2 + r^4/16] = 1/2 - 1/5 + 1/48.
  EXPECT_NEAR(sum / kDraws, 1.0 / 2 - 1.0 / 5 + 1.0 / 48, 0.01);
}

TEST(BothMixings, AreTakenByTurnsAtRandom) {
  int boxes = 0;
  for (int i = 0; i < 1000; ++i) {
    RandomStream random(1, 0, static_cast<std::uint64_t>(i), Purpose::kMix);
    boxes += draw_mix({.mixup = 1, .cutmix = 1}, kShape, random).box;
  }
  EXPECT_NEAR(boxes, 500, 60);
}

}  // namespace
}  // namespace yoke
