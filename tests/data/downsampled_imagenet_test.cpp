// tests/data/downsampled_imagenet_test.cpp: imagenet32 and imagenet64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/data/pickle_files.h"
#include "tests/support/support.h"
#include "yoke/data/dataset.h"
#include "yoke/data/statistics.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

/// A batch of images whose three planes are filled with label, label + 1 and label + 2.
std::string batch(const std::vector<int>& labels, std::size_t side) {
  std::string pixels;
  for (const int label : labels) {
    for (int plane = 0; plane < 3; ++plane) {
      pixels.append(side * side, static_cast<char>(label + plane));
    }
  }
  return test::python2_batch(labels, 3 * side * side, pixels);
}

class DownsampledImagenet : public ::testing::Test {
 protected:
  /// Training file i has the labels i and 3, val_data 1.
  void write(const fs::path& train, const fs::path& validation, std::size_t side) const {
    fs::create_directories(root_ / train);
    fs::create_directories(root_ / validation);
    for (int i = 1; i <= 10; ++i) {
      write_file(root_ / train / ("train_data_batch_" + std::to_string(i)), batch({i, 3}, side));
    }
    write_file(root_ / validation / "val_data", batch({1}, side));
  }
  DatasetSplits load(const std::string& name) const {
    return make_dataset(name, {.data_dir = root_, .seed = 0});
  }
  DatasetSplits cached() const { return load("imagenet32:cache=" + (root_ / "cache").string()); }
  /// Files of whole splits, without locks.
  std::vector<fs::path> cache_files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(root_ / "cache")) {
      if (entry.path().extension() == ".split") files.push_back(entry.path());
    }
    return files;
  }
  std::string failure(const std::string& name) const {
    return test::failure_of([&] { load(name); });
  }

  test::TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
};

TEST_F(DownsampledImagenet, ReadsBothSizesWhereverTheyLie) {
  for (const std::int64_t side : {32, 64}) {
    const std::string name = "imagenet" + std::to_string(side),
                      archive = "Imagenet" + name.substr(8);
    for (const auto& [train, validation] : {std::pair<fs::path, fs::path>{name, name},
                                            {"", ""},
                                            {archive + "_train", archive + "_val"}}) {
      fs::remove_all(root_);
      write(train, validation, static_cast<std::size_t>(side));
      const DatasetSplits splits = load(name);
      ASSERT_EQ(splits.train->size(), 20);
      ASSERT_EQ(splits.validation->size(), 1);
      EXPECT_EQ(splits.train->info().image, (ImageShape{3, side, side}));
      EXPECT_EQ(splits.train->info().classes(), 1000);
      EXPECT_EQ(splits.train->info().class_names[9], "10");
      std::vector<std::uint8_t> scratch;
      for (std::int64_t i = 0; i < 20; ++i) {
        const std::int64_t label = i % 2 == 0 ? i / 2 + 1 : 3;  // in the file; from 0 here
        EXPECT_EQ(splits.train->label(i), label - 1);
        const auto pixels = splits.train->pixels(i, scratch);
        const auto plane = static_cast<std::size_t>(side * side);
        for (std::size_t channel = 0; channel < 3; ++channel) {
          EXPECT_THAT(pixels.subspan(channel * plane, plane),
                      Each(label + static_cast<int>(channel)));
        }
      }
    }
  }
}

TEST_F(DownsampledImagenet, TakesTheNamesOfItsClassesFromTheirMap) {
  write("", "", 32);
  std::string map;
  for (int i = 10; i >= 1; --i) map += fmt::format("n{:08} {} name_{}\n", 7 * i, i, i);
  write_file(root_ / "map_clsloc.txt", map);
  const DatasetSplits splits = load("imagenet32");
  EXPECT_EQ(splits.train->info().classes(), 10);
  EXPECT_EQ(splits.validation->info().class_names[2], "name_3");
}

TEST_F(DownsampledImagenet, IsTheSameFromAFileThatRanksShare) {
  write("", "", 32);
  const DatasetSplits plain = load("imagenet32");
  for (int round = 0; round < 2; ++round) {  // made, then found
    const DatasetSplits splits = cached();
    EXPECT_EQ(cache_files().size(), 2U);
    for (const auto& [split, expected] :
         {std::pair{splits.train, plain.train}, std::pair{splits.validation, plain.validation}}) {
      ASSERT_EQ(split->size(), expected->size());
      std::vector<std::uint8_t> scratch, other;
      for (std::int64_t i = 0; i < split->size(); ++i) {
        EXPECT_EQ(split->label(i), expected->label(i));
        EXPECT_TRUE(std::ranges::equal(split->pixels(i, scratch), expected->pixels(i, other)));
      }
    }
  }
}

TEST_F(DownsampledImagenet, IsReadAnewWhereItsFilesChange) {
  write("", "", 32);
  cached();
  write_file(root_ / "train_data_batch_7", batch({5, 6, 7}, 32));
  EXPECT_EQ(cached().train->size(), 21);
  EXPECT_EQ(cache_files().size(), 3U);
}

TEST_F(DownsampledImagenet, LeavesNothingOfACacheThatFails) {
  write("", "", 32);
  write_file(root_ / "train_data_batch_10", batch({0}, 32));  // labels count from 1
  EXPECT_THAT(test::failure_of([&] { cached(); }), HasSubstr("label -1"));
  for (const auto& entry : fs::directory_iterator(root_ / "cache")) {
    EXPECT_EQ(entry.path().extension(), ".lock");
  }
}

TEST_F(DownsampledImagenet, RefusesACacheThatIsCutShortOrAnothers) {
  write("", "", 32);
  cached();
  for (const auto& file : cache_files()) fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_THAT(test::failure_of([&] { cached(); }),
              AllOf(HasSubstr("no whole number of images"), HasSubstr("remove it")));
  for (const auto& file : cache_files()) write_file(file, std::string(3 * 32 * 32 + 8, '\7'));
  EXPECT_THAT(test::failure_of([&] { cached(); }), HasSubstr("is out of range"));
}

TEST_F(DownsampledImagenet, FailsOnADamagedMap) {
  write("", "", 32);
  const auto with = [&](const std::string& map) {
    write_file(root_ / "map_clsloc.txt", map);
    return failure("imagenet32");
  };
  EXPECT_THAT(with("n01 1 a\nn02 two b\n"),
              AllOf(HasSubstr("map_clsloc.txt"), HasSubstr("n02 two b")));
  EXPECT_THAT(with("n01 1 a\nn02 1 b\n"), HasSubstr("label 1 is given twice"));
  EXPECT_THAT(with("n01 1 a\nn02 3 b\n"), HasSubstr("label 3"));
  EXPECT_THAT(with("n01 1 a\nn02 2 b\n"),
              AllOf(HasSubstr("train_data_batch_1"), HasSubstr("label 2")))
      << "more labels than names";
}

TEST_F(DownsampledImagenet, FailsOnWrongFiles) {
  write("", "", 32);
  EXPECT_THAT(failure("imagenet64"), AllOf(HasSubstr("[2, 3072]"), HasSubstr("[N, 12288]")));
  write_file(root_ / "train_data_batch_7", batch({0, 1}, 32));
  EXPECT_THAT(failure("imagenet32"), AllOf(HasSubstr("train_data_batch_7"), HasSubstr("label -1")));
  fs::remove(root_ / "train_data_batch_7");
  EXPECT_THAT(failure("imagenet32"), HasSubstr("lacks train_data_batch_7"));
}

TEST(DownsampledImagenetFiles, AreReadInBothProtocols) {
  const auto real = test::real_data("imagenet32-sample");
  if (!real) GTEST_SKIP() << "there is no imagenet32-sample to read";
  const auto splits = make_dataset("imagenet32", {.data_dir = *real, .seed = 0});
  ASSERT_EQ(splits.train->size(), 4500);
  ASSERT_EQ(splits.validation->size(), 500);
  EXPECT_EQ(splits.train->info().class_names.back(), "ice_lolly");
  EXPECT_THAT(measure(*splits.train).class_counts, Each(450));
  const DatasetStatistics validation = measure(*splits.validation);
  EXPECT_THAT(validation.class_counts, Each(50));
  // These ten classes look much like the thousand of which the constants are.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(measure(*splits.train).mean[i], splits.train->info().mean[i], 0.02);
    EXPECT_NEAR(measure(*splits.train).deviation[i], splits.train->info().deviation[i], 0.02);
  }

  const test::TemporaryDirectory other;  // the same, but val_data in the other protocol
  for (const auto& entry : fs::directory_iterator(*real)) {
    if (entry.is_regular_file() && entry.path().filename() != "val_data") {
      fs::create_symlink(entry.path(), other.path() / entry.path().filename());
    }
  }
  fs::create_symlink(*real / "protocol2" / "val_data", other.path() / "val_data");
  const auto again = make_dataset("imagenet32", {.data_dir = other.path(), .seed = 0});
  ASSERT_EQ(again.validation->size(), 500);
  std::vector<std::uint8_t> scratch;
  for (std::int64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(again.validation->label(i), splits.validation->label(i));
    ASSERT_TRUE(std::ranges::equal(again.validation->pixels(i, scratch),
                                   splits.validation->pixels(i, scratch)));
  }
}

}  // namespace
}  // namespace yoke
