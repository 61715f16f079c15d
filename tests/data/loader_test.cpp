#include "yoke/data/loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <semaphore>

#include "tests/support/gpus.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

// Images of 2 x 3 x 4 pixels whose values and labels tell their index; `before_read` may wait or
// throw.
class FakeDataset final : public Dataset {
 public:
  explicit FakeDataset(std::int64_t size, std::function<void(std::int64_t)> before_read = {})
      : size_(size), before_read_(std::move(before_read)) {
    info_ = {.name = "fake",
             .image = {2, 3, 4},
             .class_names = std::vector<std::string>(1000, "class"),
             .mean = {0.5f, 0.25f},
             .deviation = {0.5f, 0.5f}};
  }

  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return size_; }
  std::int64_t label(std::int64_t index) const override {
    return index == wrong_label_at ? wrong_label : index % info_.classes();
  }
  std::string name(std::int64_t index) const override { return std::to_string(index); }
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override {
    if (before_read_) before_read_(index);
    scratch.resize(static_cast<std::size_t>(info_.image.elements()));
    RandomStream random(1, 0, static_cast<std::uint64_t>(index), Purpose::kTest);
    for (auto& pixel : scratch) pixel = static_cast<std::uint8_t>(random.below(256));
    return scratch;
  }

  std::int64_t wrong_label_at = -1, wrong_label = 0;

 private:
  std::int64_t size_;
  std::function<void(std::int64_t)> before_read_;
  DatasetInfo info_;
};

constexpr Augmentation kAugmentation{.crop = 1, .flip = true};
constexpr std::int64_t kImages = 37, kBatchSize = 8,
                       kSteps = 5;  // five steps an epoch, 5 in the last

std::vector<Batch> load(std::int64_t first_step, std::int64_t last_step, LoaderOptions options = {},
                        int rank = 0, int ranks = 1) {
  const auto dataset = std::make_shared<FakeDataset>(kImages);
  Loader loader(dataset, Sampler(kImages, kBatchSize, rank, ranks, 3, true),
                Transform(dataset->info(), kAugmentation), 3, first_step, last_step, options);
  std::vector<Batch> batches;
  for (std::int64_t step = first_step; step < last_step; ++step) batches.push_back(loader.next());
  return batches;
}

void expect_equal(const std::vector<Batch>& batches, const std::vector<Batch>& expected) {
  ASSERT_EQ(batches.size(), expected.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    EXPECT_TRUE(batches[i].input.equal(expected[i].input)) << "batch " << i;
    EXPECT_TRUE(batches[i].target.equal(expected[i].target)) << "batch " << i;
  }
}

// A loader of `dataset` that reads it in order, four images a batch, for `epochs` epochs.
std::unique_ptr<Loader> make_loader(const std::shared_ptr<FakeDataset>& dataset,
                                    LoaderOptions options = {}, std::int64_t epochs = 1) {
  const Sampler sampler(dataset->size(), 4, 0, 1, 1, false);
  return std::make_unique<Loader>(dataset, sampler, Transform(dataset->info(), {}), 1, 0,
                                  sampler.epochs().first_step(epochs), options);
}

TEST(Loader, GivesTransformedImagesWithTheirLabels) {
  const FakeDataset dataset(kImages);
  const Transform transform(dataset.info(), kAugmentation);
  const Sampler sampler(kImages, kBatchSize, 0, 1, 3, true);
  const auto batches = load(0, 2 * kSteps);
  std::vector<std::uint8_t> scratch;
  for (std::int64_t step = 0; step < 2 * kSteps; ++step) {
    const Batch& batch = batches[static_cast<std::size_t>(step)];
    const auto indices = sampler.indices(step / kSteps, step % kSteps);
    const auto size = static_cast<std::int64_t>(indices.size());
    ASSERT_EQ(batch.size(), step % kSteps == kSteps - 1 ? 5 : kBatchSize);
    ASSERT_EQ(batch.input.sizes(), (torch::IntArrayRef{size, 2, 3, 4}));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t image = indices[static_cast<std::size_t>(i)];
      RandomStream random(3, 0, static_cast<std::uint64_t>(step / kSteps * kImages + image),
                          Purpose::kAugment);
      torch::Tensor expected = torch::empty({2, 3, 4});
      transform.apply(dataset.pixels(image, scratch), random, {expected.data_ptr<float>(), 24});
      EXPECT_TRUE(batch.input[i].equal(expected));
      EXPECT_EQ(batch.target[i].item<std::int64_t>(), image);
    }
  }
}

TEST(Loader, GivesTheSameBatchesForAnyNumberOfThreads) {
  const auto expected = load(0, 4 * kSteps);
  for (const int threads : {2, 4}) {
    for (const std::int64_t prefetch : {1, 3, 100}) {
      SCOPED_TRACE(fmt::format("{} threads, prefetch {}", threads, prefetch));
      expect_equal(load(0, 4 * kSteps, {.threads = threads, .prefetch = prefetch}), expected);
    }
  }
}

TEST(Loader, ContinuesExactlyWhenResumedAtAnyStep) {
  const auto whole = load(0, 2 * kSteps);
  for (std::int64_t first = 0; first <= 2 * kSteps; ++first) {
    expect_equal(load(first, 2 * kSteps, {.threads = 2}), {whole.begin() + first, whole.end()});
  }
}

TEST(Loader, GivesTheSameImagesToRanksTogetherAsToOneAlone) {
  const auto alone = load(0, 2 * kSteps);
  for (const int ranks : {2, 3, 8}) {
    std::vector<std::vector<torch::Tensor>> inputs(2 * kSteps), targets(2 * kSteps);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto batches = load(0, 2 * kSteps, {}, rank, ranks);
      for (std::size_t step = 0; step < batches.size(); ++step) {
        inputs[step].push_back(batches[step].input);
        targets[step].push_back(batches[step].target);
      }
    }
    std::vector<Batch> together;
    for (std::size_t step = 0; step < inputs.size(); ++step) {
      together.push_back({.input = torch::cat(inputs[step]), .target = torch::cat(targets[step])});
    }
    expect_equal(together, alone);
  }
}

TEST(Loader, ThrowsPastTheEnd) {
  const auto loader = make_loader(std::make_shared<FakeDataset>(4));
  EXPECT_EQ(loader->next().size(), 4);
  EXPECT_THROW(loader->next(), Error);
  EXPECT_THROW(loader->next(), Error);
}

TEST(Loader, CarriesAWorkersErrorToTheBatchItBelongsTo) {
  for (const int threads : {1, 3}) {
    const auto loader = make_loader(std::make_shared<FakeDataset>(40,
                                                                  [](std::int64_t index) {
                                                                    if (index == 17) {
                                                                      throw Error("image 17");
                                                                    }
                                                                  }),
                                    {.threads = threads});
    for (int step = 0; step < 4; ++step) EXPECT_EQ(loader->next().size(), 4);
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_THAT([&] { loader->next(); },
                  testing::ThrowsMessage<Error>(testing::StrEq("image 17")));
    }
  }
}

TEST(Loader, RefusesLabelsOfNoClass) {
  for (const std::int64_t label : {-1, 1000, 1 << 30}) {
    const auto dataset = std::make_shared<FakeDataset>(4);
    dataset->wrong_label_at = 2;
    dataset->wrong_label = label;
    const auto loader = make_loader(dataset);
    EXPECT_THAT([&] { loader->next(); },
                testing::ThrowsMessage<Error>(fmt::format(
                    "data set fake: image 2 is of class {}, but its classes are 0 to 999", label)));
  }
}

TEST(Loader, MakesNoMoreThanPrefetchBatchesAhead) {
  std::atomic<int> reads = 0;
  const auto dataset = std::make_shared<FakeDataset>(4000, [&](std::int64_t) { ++reads; });
  const auto loader = make_loader(dataset, {.threads = 4, .prefetch = 3});
  for (int step = 0; step < 100; ++step) {
    loader->next();
    EXPECT_LE(reads, (step + 1 + 3) * 4);
  }
}

TEST(Loader, StopsInTheMiddleOfABatchWhenDestroyed) {
  std::atomic<int> reads = 0;
  std::latch started(1);
  const auto dataset = std::make_shared<FakeDataset>(20000, [&](std::int64_t) {
    if (reads++ == 0) started.count_down();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  {
    const Loader loader(dataset, Sampler(20000, 20000, 0, 1, 1, false),
                        Transform(dataset->info(), {}), 1, 0, 10, {});
    started.wait();
  }
  EXPECT_LT(reads, 20000);
}

TEST(Loader, StopsWhenDestroyedWithBatchesNobodyTook) {
  std::latch full(8);
  const auto dataset = std::make_shared<FakeDataset>(400, [&](std::int64_t index) {
    if (index < 8) full.count_down();
  });
  {
    const auto loader = make_loader(dataset, {.threads = 4, .prefetch = 2});
    full.wait();
  }
  EXPECT_EQ(dataset.use_count(), 1);
}

TEST(Loader, CountsNoWaitWhenTheBatchIsThere) {
  std::latch second_batch(1);
  const auto dataset = std::make_shared<FakeDataset>(8, [&](std::int64_t index) {
    if (index == 4) second_batch.count_down();
  });
  const auto loader = make_loader(dataset);
  second_batch.wait();  // the one worker has put the first batch by then
  loader->next();
  EXPECT_EQ(loader->wait_seconds(), 0);
}

TEST(Loader, CountsTheWaitForASlowDataSet) {
  // The data set lets a batch be read only after next() is about to be called. Over 50 batches this
  // thread is sometimes waiting by then, whatever else the machine does.
  std::counting_semaphore<> asked(0);
  const auto dataset = std::make_shared<FakeDataset>(200, [&](std::int64_t index) {
    if (index % 4 != 0) return;
    asked.acquire();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const auto loader = make_loader(dataset);
  std::chrono::duration<double> spent{};
  double waited = 0;
  for (int step = 0; step < 50; ++step) {
    const auto start = std::chrono::steady_clock::now();
    asked.release();
    loader->next();
    spent += std::chrono::steady_clock::now() - start;
    EXPECT_GE(loader->wait_seconds(), waited);
    waited = loader->wait_seconds();
  }
  EXPECT_GT(waited, 0);
  EXPECT_LE(waited, spent.count());
}

TEST(Loader, DeliversTheSameBatchesOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  const torch::Device gpu(torch::kCUDA, 0);
  auto batches = load(0, 2 * kSteps, {.threads = 2, .device = gpu, .pinned = true});
  for (Batch& batch : batches) {
    EXPECT_EQ(batch.input.device(), gpu);
    EXPECT_EQ(batch.target.device(), gpu);
    batch.input = batch.input.cpu();
    batch.target = batch.target.cpu();
  }
  expect_equal(batches, load(0, 2 * kSteps));
}

TEST(Loader, MakesBatchesInPinnedMemoryWhenAskedTo) {
  YOKE_NEEDS_GPUS(1);
  for (const Batch& batch : load(0, 2, {.pinned = true})) {
    EXPECT_TRUE(batch.input.is_pinned() && batch.target.is_pinned());
  }
}

TEST(DeviceCopy, LeavesBatchesOfProcessorsAlone) {
  const Batch batch = load(0, 1).front();
  const Batch same = DeviceCopy(torch::kCPU).copy(batch);
  EXPECT_TRUE(same.input.is_same(batch.input) && same.target.is_same(batch.target));
  use_in_this_stream(batch);
}

TEST(Loader, RejectsArgumentsThatCannotWork) {
  const auto dataset = std::make_shared<FakeDataset>(8);
  const Transform transform(dataset->info(), {});
  const Sampler sampler(8, 4, 0, 1, 1, true), other(9, 4, 0, 1, 1, true);
  EXPECT_THROW(Loader(dataset, sampler, transform, 1, 0, 2, {.threads = 0}), UsageError);
  EXPECT_THROW(Loader(dataset, sampler, transform, 1, 0, 2, {.prefetch = 0}), UsageError);
  EXPECT_THROW(Loader(dataset, other, transform, 1, 0, 2), Error);
  EXPECT_THROW(Loader(dataset, sampler, transform, 1, 2, 1), Error);
}

}  // namespace
}  // namespace yoke
