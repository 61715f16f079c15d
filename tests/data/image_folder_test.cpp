// tests/data/image_folder_test.cpp: photos decoded while batches are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/loader.h"
#include "yoke/data/transforms/resize.h"

namespace yoke {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class ImageFolder : public testing::Test {
 protected:
  const fs::path& root() const { return directory_.path(); }

  void add(const std::string& name, const std::string& file) const {
    fs::create_directories((root() / name).parent_path());
    write_file(root() / name, file);
  }

  /// Two classes of `count` images of sizes of their own for training, and half as many for
  /// validation.
  void add_images(int count) const {
    for (int i = 0; i < count; ++i) {
      const auto image = test::picture(40 + 3 * i, 60 - 2 * (i % 7));
      const bool png = i % 5 == 4;  // by its content, not its name
      const std::string file = png ? test::png_file(image) : test::jpeg_file(image);
      for (const char* const label : {"cat", "dog"}) {
        add(fmt::format("train/{}/{:02}.JPEG", label, i), file);
        if (i % 2 == 0) add(fmt::format("val/{}/{:02}.jpg", label, i), file);
      }
    }
  }

  DatasetSplits load(const std::string& options = "") const {
    return make_dataset("image-folder:root=" + root().string() + ",size=32" + options,
                        {.data_dir = "/nowhere", .seed = 0});
  }

  static std::vector<Batch> batches(const DatasetSplits& splits, std::int64_t first,
                                    std::int64_t last, int threads = 1) {
    const auto& train = splits.train;
    Loader loader(train, Sampler(train->size(), 4, 0, 1, 5, true),
                  Transform(train->info(), splits.augmentation), 5, first, last,
                  {.threads = threads});
    std::vector<Batch> all;
    for (std::int64_t step = first; step < last; ++step) all.push_back(loader.next());
    return all;
  }

  static bool equal(const Batch& a, const Batch& b) {
    return a.input.equal(b.input) && a.target.equal(b.target);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ImageFolder, GivesPhotosOfOneSizeWithTheirClasses) {
  add_images(10);
  const DatasetSplits splits = load();
  EXPECT_EQ(splits.train->size(), 20);
  EXPECT_EQ(splits.validation->size(), 10);
  EXPECT_EQ(splits.train->info().image, (ImageShape{3, 32, 32}));
  EXPECT_THAT(splits.train->info().class_names, testing::ElementsAre("cat", "dog"));
  EXPECT_TRUE(splits.augmentation.flip);
  std::vector<std::uint8_t> scratch;
  for (const auto& split : {splits.train, splits.validation}) {
    for (std::int64_t i = 0; i < split->size(); ++i) {
      EXPECT_EQ(split->pixels(i, scratch).size(), 3U * 32 * 32);
      EXPECT_EQ(split->label(i), i < split->size() / 2 ? 0 : 1);
    }
  }
  EXPECT_EQ(splits.damage->count(), 0);
}

TEST_F(ImageFolder, DrawsPartsForTrainingAloneAndAnewInEachEpoch) {
  add_images(4);
  const DatasetSplits splits = load();
  const auto draw = [](const Dataset& dataset, std::uint64_t key) {
    RandomStream random(1, 0, key, Purpose::kTest);
    std::vector<std::uint8_t> scratch;
    const auto pixels = dataset.drawn_pixels(1, random, scratch);
    return std::vector<std::uint8_t>(pixels.begin(), pixels.end());
  };
  EXPECT_EQ(draw(*splits.train, 1), draw(*splits.train, 1));
  EXPECT_NE(draw(*splits.train, 1), draw(*splits.train, 2));
  EXPECT_EQ(draw(*splits.validation, 1), draw(*splits.validation, 2));
  const DatasetSplits whole = load(",area=1"), coloured = load(",area=1,brightness=0.4,hue=0.1");
  EXPECT_EQ(draw(*whole.train, 1), draw(*whole.train, 2));
  EXPECT_NE(draw(*coloured.train, 1), draw(*coloured.train, 2));
  EXPECT_EQ(draw(*coloured.validation, 1), draw(*whole.validation, 1));
}

TEST_F(ImageFolder, GivesTheSameBatchesForAnyNumberOfThreadsAndFromAnyStep) {
  add_images(9);
  const DatasetSplits splits = load();
  const auto expected = batches(splits, 0, 10);  // two epochs
  EXPECT_FALSE(equal(expected[0], expected[5]));
  const auto threaded = batches(splits, 0, 10, 3);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(equal(threaded[i], expected[i])) << i;
  }
  const auto resumed = batches(load(), 7, 10, 2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(equal(resumed[i], expected[7 + i])) << i;
}

TEST_F(ImageFolder, GivesTheSameImagesFromTarFiles) {
  add_images(6);
  const auto expected = batches(load(), 0, 6);
  std::vector<test::ArchiveEntry> entries;
  for (const auto& entry : fs::recursive_directory_iterator(root())) {
    if (!entry.is_regular_file()) continue;
    entries.push_back(
        {.name = fs::relative(entry.path(), root()).string(), .content = read_file(entry.path())});
  }
  const test::TemporaryDirectory other;
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_XZ}) {
    const auto tar = other.path() / "images.tar";
    test::write_archive(tar, entries, filter);
    const auto splits = make_dataset("image-folder:size=32,root=" + tar.string(),
                                     {.data_dir = "/nowhere", .seed = 0});
    const auto from_tar = batches(splits, 0, 6, 2);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(equal(from_tar[i], expected[i])) << i;
  }
}

TEST_F(ImageFolder, DecodesToTheSizeThatAModelTakes) {
  add_images(4);
  const auto photo = test::picture(64, 64);
  add("train/cat/00.JPEG", test::png_file(photo));
  const DatasetSplits splits = load(",centre=1,train_limit=3");
  const auto larger = resized(splits.train, 64, 64);
  EXPECT_EQ(larger->info().image, (ImageShape{3, 64, 64}));
  EXPECT_EQ(larger->size(), 3);
  std::vector<std::uint8_t> scratch;
  const auto pixels = larger->pixels(0, scratch);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_EQ(pixels[static_cast<std::size_t>(y * 64 + x)], photo.at(y, x, 0));
    }
  }
}

TEST_F(ImageFolder, PutsAnotherOfTheClassInPlaceOfADamagedFileAndSaysSo) {
  add_images(4);
  const std::string whole = read_file(root() / "train/cat/01.JPEG");
  add("train/cat/00.JPEG", whole.substr(0, whole.size() / 2));
  add("train/dog/03.JPEG", "no image");
  const DatasetSplits splits = load(",damaged=0.5,area=1");
  std::vector<std::uint8_t> scratch, other;
  const auto same = [&](std::int64_t a, std::int64_t b) {
    return std::ranges::equal(splits.train->pixels(a, scratch), splits.train->pixels(b, other));
  };
  EXPECT_TRUE(same(0, 1));
  EXPECT_FALSE(same(1, 2));
  EXPECT_TRUE(same(7, 4));  // after the last of a class comes its first
  EXPECT_EQ(splits.damage->count(), 2);
  EXPECT_TRUE(splits.damage->contains("train/cat/00.JPEG"));
  EXPECT_FALSE(splits.damage->contains("train/cat/01.JPEG"));
  EXPECT_EQ(splits.train->name(0), "train/cat/00.JPEG");
  const auto lines = splits.damage->take_lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr("train/cat/00.JPEG is damaged (Premature end of JPEG file"));
  EXPECT_THAT(lines[1], HasSubstr("train/dog/03.JPEG is damaged (its bytes begin neither"));
  EXPECT_TRUE(splits.damage->take_lines().empty());
  EXPECT_TRUE(same(0, 1));
  EXPECT_TRUE(splits.damage->take_lines().empty());  // said once
}

TEST_F(ImageFolder, StopsWhenTooManyFilesAreDamaged) {
  add_images(4);
  for (const char* const name : {"train/cat/00.JPEG", "train/dog/01.JPEG"}) add(name, "no image");
  const DatasetSplits splits = load(",damaged=0.1");  // of 12
  EXPECT_THAT(test::failure_of([&] { batches(splits, 0, 2); }),
              testing::AllOf(HasSubstr("2 of 12 images are damaged, the latest train/"),
                             HasSubstr("(its bytes begin neither"), HasSubstr("at most 10 %")));
}

TEST_F(ImageFolder, FailsWhenAWholeClassIsDamagedOrAFileIsGone) {
  add_images(2);
  for (const char* const name : {"train/cat/00.JPEG", "train/cat/01.JPEG"}) add(name, "no image");
  const DatasetSplits splits = load(",damaged=1");
  std::vector<std::uint8_t> scratch;
  EXPECT_THAT(test::failure_of([&] { splits.train->pixels(0, scratch); }),
              HasSubstr("all 2 images of class 'cat' are damaged"));
  fs::remove(root() / "train/dog/00.JPEG");
  EXPECT_THAT(test::failure_of([&] { splits.train->pixels(2, scratch); }),
              HasSubstr("train/dog/00.JPEG"));
}

TEST_F(ImageFolder, ReadsFromItsCacheWhatItDecodedOnce) {
  add_images(5);
  const fs::path cache = root() / "cache";
  const std::string options = ",centre=1,cache=" + cache.string();
  const auto same = [](const Dataset& a, const Dataset& b) {
    std::vector<std::uint8_t> scratch, other;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (!std::ranges::equal(a.pixels(i, scratch), b.pixels(i, other))) return false;
    }
    return true;
  };
  const DatasetSplits direct = load(",centre=1"), first = load(options);
  EXPECT_FALSE(fs::exists(cache));  // until it is asked for
  EXPECT_TRUE(same(*first.train, *direct.train));
  EXPECT_TRUE(same(*first.validation, *direct.validation));
  const auto drawn = batches(first, 0, 4, 3);

  // Damaged behind its back, but as old and as large: the cache still has it.
  const fs::path photo = root() / "train/cat/01.JPEG";
  const auto time = fs::last_write_time(photo);
  write_file(photo, std::string(fs::file_size(photo), 'x'));
  fs::last_write_time(photo, time);
  const DatasetSplits second = load(options);
  EXPECT_TRUE(same(*second.train, *first.train));
  const auto again = batches(second, 0, 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(equal(again[i], drawn[i])) << i;

  add("train/cat/01.JPEG", test::jpeg_file(test::picture(90, 30)));
  EXPECT_FALSE(same(*load(options).train, *first.train));  // noticed
}

TEST_F(ImageFolder, KeepsInItsCacheWhatRandomPartsNeed) {
  add_images(3);
  const DatasetSplits splits = load(",centre=0.5,cache=" + (root() / "cache").string());
  std::vector<std::uint8_t> scratch, other;
  const auto near = load(",centre=0.5").train->pixels(0, other);
  const auto pixels = splits.train->pixels(0, scratch);
  double difference = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) difference += std::abs(pixels[i] - near[i]);
  EXPECT_LT(difference / static_cast<double>(pixels.size()), 1.0);  // rounded twice
  std::vector<std::uintmax_t> sizes;
  for (const auto& entry : fs::directory_iterator(root() / "cache")) {
    if (entry.path().extension() == ".pixels") sizes.push_back(entry.file_size());
  }
  EXPECT_THAT(sizes, testing::ElementsAre(6U * 3 * 64 * 64));
}

TEST_F(ImageFolder, IsFoundBelowTheDataFolder) {
  const auto load_from = [](const fs::path& data_dir) {
    return make_dataset("image-folder", {.data_dir = data_dir, .seed = 0}).train->size();
  };
  EXPECT_THAT(test::failure_of<UsageError>([&] { load_from(root()); }),
              HasSubstr((root() / "image-folder").string()));
  add_images(3);
  EXPECT_EQ(load_from(root()), 6);
  fs::create_directories(root() / "data" / "image-folder");
  fs::rename(root() / "train", root() / "data" / "image-folder" / "train");
  fs::rename(root() / "val", root() / "data" / "image-folder" / "val");
  EXPECT_EQ(load_from(root() / "data"), 6);
  EXPECT_THAT(test::failure_of<UsageError>([&] {
                make_dataset("image-folder:root=/no/such", {.data_dir = root(), .seed = 0});
              }),
              HasSubstr("root '/no/such' does not exist"));
}

TEST(RealImageFolder, DecodesAllOfImagenette) {
  const auto sample = test::real_data("imagenet-sample");
  if (!sample) GTEST_SKIP() << "imagenet-sample is not here";
  const auto splits = make_dataset("image-folder:root=" + (*sample / "imagenette-224").string(),
                                   {.data_dir = "/nowhere", .seed = 0});
  EXPECT_EQ(splits.train->size(), 600);
  EXPECT_EQ(splits.validation->size(), 200);
  EXPECT_EQ(splits.train->info().classes(), 10);
  std::vector<std::uint8_t> scratch;
  for (const auto& split : {splits.train, splits.validation}) {
    for (std::int64_t i = 0; i < split->size(); ++i) {
      RandomStream random(1, 0, static_cast<std::uint64_t>(i), Purpose::kTest);
      split->drawn_pixels(i, random, scratch);
    }
  }
  EXPECT_EQ(splits.damage->count(), 0);
}

TEST(RealImageFolder, ReadsCifar10FromItsCompressedTarFile) {
  const auto folder = test::real_data("cifar10-jpeg");
  if (!folder) GTEST_SKIP() << "cifar10-jpeg is not here";
  const auto splits = make_dataset("image-folder:size=32,centre=1,root=" + folder->string(),
                                   {.data_dir = "/nowhere", .seed = 0});
  EXPECT_EQ(splits.train->size(), 50000);
  EXPECT_EQ(splits.validation->size(), 10000);
  EXPECT_EQ(splits.train->info().class_names.at(3), "cat");
  // Its README tells the mean of all pixels of the training images.
  std::vector<std::uint8_t> scratch;
  double sum = 0;
  for (std::int64_t i = 0; i < splits.train->size(); i += 10) {
    const auto red = splits.train->pixels(i, scratch).first(1024);
    for (const std::uint8_t value : red) sum += value;
  }
  EXPECT_NEAR(sum / (5000.0 * 32 * 32 * 255), 0.4913, 0.005);
}

}  // namespace
}  // namespace yoke
