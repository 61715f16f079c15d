// tests/data/resident_images_test.cpp: batches of images that stay on a device, here a processor.
#include "yoke/data/resident_images.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/gpus.h"
#include "yoke/core/error.h"
#include "yoke/data/loader.h"

namespace yoke {
namespace {

constexpr std::int64_t kImages = 37, kBatchSize = 8, kSteps = 5;  // of an epoch

/// Random images of 3 x 5 x 6 pixels, that counts how often each is read.
class Noise final : public Dataset {
 public:
  explicit Noise(bool draws = false, std::int64_t size = kImages) : draws_(draws), size_(size) {
    info_ = {.name = "noise",
             .image = {3, 5, 6},
             .class_names = std::vector<std::string>(10, "class"),
             .mean = {0.5f, 0.25f, 0.1f},
             .deviation = {0.5f, 0.3f, 0.7f}};
  }
  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return size_; }
  std::int64_t label(std::int64_t index) const override { return index % info_.classes(); }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  bool draws() const override { return draws_; }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    ++reads[index];
    scratch.resize(static_cast<std::size_t>(info_.image.elements()));
    RandomStream random(1, 0, static_cast<std::uint64_t>(index), Purpose::kTest);
    for (auto& pixel : scratch) pixel = static_cast<std::uint8_t>(random.below(256));
    return scratch;
  }

  mutable std::map<std::int64_t, int> reads;

 private:
  bool draws_;
  std::int64_t size_;
  DatasetInfo info_;
};

struct Source {
  Augmentation augmentation{};
  bool stay = false;
  torch::Device device = torch::kCPU;
  int rank = 0, ranks = 1;
  std::shared_ptr<const WeightedOrder> order{};
};

std::vector<Batch> load(const std::shared_ptr<const Dataset>& dataset, const Source& source,
                        std::int64_t first = 0, std::int64_t last = 3 * kSteps) {
  const Transform transform(dataset->info(), source.augmentation);
  LoaderOptions options{.device = source.device, .pinned = source.device.is_cuda()};
  if (source.stay) {
    options.resident = std::make_shared<ResidentImages>(dataset, transform, source.device);
  }
  const Sampler sampler(kImages, kBatchSize, source.rank, source.ranks, 3, true, source.order);
  Loader loader(dataset, sampler, transform, 3, first, last, options);
  std::vector<Batch> batches;
  for (std::int64_t step = first; step < last; ++step) batches.push_back(loader.next());
  return batches;
}

void expect_equal(const std::vector<Batch>& found, const std::vector<Batch>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found[i].input.cpu().equal(expected[i].input)) << i;
    EXPECT_TRUE(found[i].target.cpu().equal(expected[i].target)) << i;
    EXPECT_EQ(found[i].first_image, expected[i].first_image);
    EXPECT_EQ(found[i].whole(), expected[i].whole());
  }
}

constexpr Augmentation kWays[] = {
    {}, {.crop = 2}, {.flip = true}, {.crop = 5, .flip = true}, {.crop = 1, .flip = true}};

TEST(ResidentImages, GiveTheBitsOfOtherLoaders) {
  const auto dataset = std::make_shared<Noise>();
  for (const Augmentation& way : kWays) {
    for (int rank = 0; rank < 3; ++rank) {
      const Source threads{.augmentation = way, .rank = rank, .ranks = 3};
      Source resident = threads;
      resident.stay = true;
      expect_equal(load(dataset, resident), load(dataset, threads));
      expect_equal(load(dataset, resident, 7, 9), load(dataset, threads, 7, 9));
    }
  }
}

TEST(ResidentImages, GiveTheBitsOfOtherLoadersOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  const auto dataset = std::make_shared<Noise>();
  for (const Augmentation& way : kWays) {
    const torch::Device gpu(torch::kCUDA, 0);
    const auto found = load(dataset, {.augmentation = way, .stay = true, .device = gpu});
    EXPECT_EQ(found.front().input.device(), gpu);
    EXPECT_EQ(found.front().target.device(), gpu);
    expect_equal(found, load(dataset, {.augmentation = way}));
  }
}

TEST(ResidentImages, AreReadOnce) {
  const auto dataset = std::make_shared<Noise>();
  load(dataset, {.stay = true});
  EXPECT_EQ(dataset->reads.size(), kImages);
  for (const auto& [image, times] : dataset->reads) EXPECT_EQ(times, 1) << image;
}

TEST(ResidentImages, MayComeSeveralTimesInABatch) {
  const auto dataset = std::make_shared<Noise>();
  std::vector<double> weights(kImages, 0.0);
  weights[5] = weights[7] = 1;
  const auto order = std::make_shared<const WeightedOrder>(weights);
  expect_equal(load(dataset, {.augmentation = kWays[3], .stay = true, .order = order}),
               load(dataset, {.augmentation = kWays[3], .order = order}));
}

TEST(ResidentImages, AreInTheFormatThatTensorCoresConvolve) {
  const auto batches = load(std::make_shared<Noise>(), {.stay = true}, 0, 1);
  EXPECT_TRUE(batches.front().input.is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(ResidentImages, AreAloneThoseThatAreTheSameEachTime) {
  const auto can_keep = [](const Dataset& dataset, const Augmentation& augmentation) {
    return ResidentImages::can_keep(dataset, Transform(dataset.info(), augmentation));
  };
  const Noise same, drawn(true), many(false, ResidentImages::kMostBytes / 90);
  EXPECT_TRUE(can_keep(same, {.crop = 2, .flip = true}));
  EXPECT_TRUE(can_keep(many, {.flip = true}));
  EXPECT_FALSE(can_keep(many, {.crop = 1})) << "larger with their borders";
  EXPECT_FALSE(can_keep(drawn, {}));
  EXPECT_FALSE(can_keep(same, {.random_erase = 0.1}));
  EXPECT_FALSE(can_keep(same, {.auto_augment = AutoAugmentPolicy::kRandAugment}));
  EXPECT_THROW(load(std::make_shared<Noise>(true), {.stay = true}), Error);
}

TEST(ResidentImages, AreRefusedForOthersAndForMixing) {
  const auto dataset = std::make_shared<Noise>(), other = std::make_shared<Noise>();
  const Transform transform(dataset->info(), {});
  const Sampler sampler(kImages, kBatchSize, 0, 1, 3, true);
  const LoaderOptions options{
      .resident = std::make_shared<ResidentImages>(dataset, transform, torch::kCPU)};
  Loader others(other, sampler, transform, 3, 0, 1, options);
  EXPECT_THROW(others.next(), Error);
  Loader mixed(dataset, sampler, transform, 3, 0, 1, options, Mixing{.mixup = 1});
  EXPECT_THROW(mixed.next(), Error);
}

}  // namespace
}  // namespace yoke
