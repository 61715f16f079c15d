// tests/data/mnist_test.cpp: MNIST and Fashion-MNIST, real, small and damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/support/support.h"
#include "yoke/data/dataset.h"
#include "yoke/data/statistics.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::idx_file;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Mnist : public ::testing::Test {
 protected:
  Mnist() { test::write_small_mnist(root_); }
  DatasetSplits load(const std::string& name = "mnist") const {
    return make_dataset(name, {.data_dir = root_, .seed = 0});
  }
  /// The message when `file` holds `bytes`, which must name it and the way to get it again.
  std::string failure(const std::string& file, const std::string& bytes) const {
    write_file(root_ / file, bytes);
    const std::string message = test::failure_of([&] { load(); });
    EXPECT_THAT(message,
                AllOf(HasSubstr((root_ / file).string()), HasSubstr("yoke data fetch mnist")));
    return message;
  }

  test::TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
};

TEST_F(Mnist, GivesImagesAndLabels) {
  const DatasetSplits splits = load();
  std::vector<std::uint8_t> scratch;
  ASSERT_EQ(splits.train->size(), 3);
  EXPECT_EQ(splits.train->info().image, (ImageShape{1, 2, 2}));
  EXPECT_EQ(splits.train->info().class_names[9], "9");
  EXPECT_EQ(splits.train->label(0), 7);
  EXPECT_EQ(splits.train->label(2), 9);
  EXPECT_THAT(splits.train->pixels(1, scratch), ElementsAre(4, 5, 6, 7));
  ASSERT_EQ(splits.validation->size(), 1);
  EXPECT_EQ(splits.validation->label(0), 4);
  EXPECT_THAT(splits.validation->pixels(0, scratch), ElementsAre('2', '3', '4', '5'));
}

TEST_F(Mnist, ReadsCompressedFilesWithADot) {
  const std::string bytes = read_file(root_ / "train-images-idx3-ubyte");
  fs::remove(root_ / "train-images-idx3-ubyte");
  write_file(root_ / "train-images.idx3-ubyte.gz", test::gzip(bytes));
  EXPECT_EQ(load().train->size(), 3);
}

TEST_F(Mnist, GivesFilesOfADirectoryToEitherDataSet) {
  EXPECT_EQ(load("fashion-mnist").train->info().class_names[9], "Ankle boot");
}

TEST_F(Mnist, NamesAMissingFile) {
  fs::remove(root_ / "train-labels-idx1-ubyte");
  EXPECT_THAT(test::failure_of([&] { load(); }), AllOf(HasSubstr("lacks train-labels-idx1-ubyte"),
                                                       HasSubstr("yoke data fetch mnist")));
}

TEST_F(Mnist, FailsOnADamagedFile) {
  const std::string images = read_file(root_ / "train-images-idx3-ubyte");
  EXPECT_THAT(failure("train-images-idx3-ubyte", images.substr(0, 20)), HasSubstr("cut short"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", images + "x"), HasSubstr("too long"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", idx_file({3}, "abc")), HasSubstr("magic"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", idx_file({1U << 31, 1U << 31, 1U << 31}, "")),
              HasSubstr("overflows"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", idx_file({0, 2, 2}, "")), HasSubstr("no images"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", idx_file({3, 0, 2}, "")), HasSubstr("no images"));
  EXPECT_THAT(failure("train-images-idx3-ubyte", test::gzip(images).substr(0, 30)),
              HasSubstr("cut short"));
}

TEST_F(Mnist, FailsOnWrongLabels) {
  EXPECT_THAT(failure("train-labels-idx1-ubyte", idx_file({3}, std::string("\0\1\12", 3))),
              AllOf(HasSubstr("label 10 of image 2"), HasSubstr("0 to 9")));
  EXPECT_THAT(failure("train-labels-idx1-ubyte", idx_file({2}, "\1\2")),
              HasSubstr("2 labels for the 3 images"));
}

TEST_F(Mnist, FailsWhenTheSplitsDiffer) {
  EXPECT_THAT(failure("t10k-images-idx3-ubyte", idx_file({1, 1, 4}, "2345")), HasSubstr("1x1x4"));
}

class RealIdxDataset : public ::testing::TestWithParam<const char*> {};

TEST_P(RealIdxDataset, HasTheKnownSizesMeanAndDeviation) {
  const auto folder = test::real_data(GetParam());
  if (!folder) GTEST_SKIP() << "the files of " << GetParam() << " are not on this machine";
  const auto splits = make_dataset(GetParam(), {.data_dir = folder->parent_path(), .seed = 0});
  EXPECT_EQ(splits.train->info().image, (ImageShape{1, 28, 28}));
  const auto train = measure(*splits.train), validation = measure(*splits.validation);
  EXPECT_EQ(train.images, 60'000);
  EXPECT_EQ(validation.images, 10'000);
  EXPECT_THAT(train.class_counts, Each(::testing::Gt(5000)));
  EXPECT_NEAR(train.mean[0], splits.train->info().mean[0], 1e-4);
  EXPECT_NEAR(train.deviation[0], splits.train->info().deviation[0], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(, RealIdxDataset, ::testing::Values("mnist", "fashion-mnist"),
                         [](const auto& test) {
                           return test.index == 0 ? "Mnist" : "FashionMnist";
                         });

}  // namespace
}  // namespace yoke
