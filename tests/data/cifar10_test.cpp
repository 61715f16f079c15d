// tests/data/cifar10_test.cpp: CIFAR-10 from its binary and its Python files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/data/pickle_files.h"
#include "tests/support/support.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/pickled_batch.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kElements = std::size_t{3} * 32 * 32;

/// An image whose bytes all are `value`, but for the first.
std::string image(char value) { return std::string(1, '!').append(kElements - 1, value); }

std::string binary_batch(const std::vector<int>& labels) {
  std::string bytes;
  for (const int label : labels)
    bytes += static_cast<char>(label) + image(static_cast<char>(label + 40));
  return bytes;
}

std::string python_batch(const std::vector<int>& labels) {
  std::string pixels;
  for (const int label : labels) pixels += image(static_cast<char>(label + 40));
  return test::python2_batch(labels, kElements, pixels);
}

class Cifar10 : public ::testing::Test {
 protected:
  /// Batch i has the labels i and 9, the test batch 0.
  void write(const fs::path& folder, const std::string& extension,
             std::string (*batch)(const std::vector<int>&)) const {
    fs::create_directories(root_ / folder);
    for (int i = 1; i <= 5; ++i) {
      write_file(root_ / folder / ("data_batch_" + std::to_string(i) + extension), batch({i, 9}));
    }
    write_file(root_ / folder / ("test_batch" + extension), batch({0}));
  }
  DatasetSplits load() const { return make_dataset("cifar10", {.data_dir = root_, .seed = 0}); }
  void expect_all_images() const {
    const DatasetSplits splits = load();
    ASSERT_EQ(splits.train->size(), 10);
    ASSERT_EQ(splits.validation->size(), 1);
    EXPECT_EQ(splits.train->info().image, (ImageShape{3, 32, 32}));
    EXPECT_EQ(splits.train->info().class_names[9], "truck");
    std::vector<std::uint8_t> scratch;
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_EQ(splits.train->label(i), i % 2 == 0 ? i / 2 + 1 : 9);
      const auto pixels = splits.train->pixels(i, scratch);
      EXPECT_EQ(pixels.front(), '!');
      EXPECT_EQ(pixels.back(), splits.train->label(i) + 40);
    }
  }
  std::string failure(const std::string& file, const std::string& bytes) const {
    write_file(root_ / file, bytes);
    const std::string message = test::failure_of([&] { load(); });
    EXPECT_THAT(message,
                AllOf(HasSubstr((root_ / file).string()), HasSubstr("yoke data fetch cifar10")));
    return message;
  }

  test::TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
};

TEST_F(Cifar10, ReadsBinaryFiles) {
  write("cifar-10-batches-bin", ".bin", binary_batch);
  expect_all_images();
}

TEST_F(Cifar10, ReadsPythonFiles) {
  write("cifar10/cifar-10-batches-py", "", python_batch);
  expect_all_images();
}

TEST_F(Cifar10, FailsOnDamagedBinaryFiles) {
  write("", ".bin", binary_batch);
  EXPECT_THAT(failure("data_batch_3.bin", binary_batch({1}).substr(1)), HasSubstr("3072 bytes"));
  EXPECT_THAT(failure("data_batch_3.bin", binary_batch({1}) + "x"), HasSubstr("3074 bytes"));
  EXPECT_THAT(failure("data_batch_3.bin", ""), HasSubstr("0 bytes"));
  EXPECT_THAT(failure("data_batch_3.bin", binary_batch({1, 10})), HasSubstr("label 10 of image 1"));
}

TEST_F(Cifar10, FailsOnDamagedPythonFiles) {
  write("", "", python_batch);
  EXPECT_THAT(failure("test_batch", python_batch({1}).substr(0, 3000)), HasSubstr("cut short"));
  EXPECT_THAT(failure("test_batch", python_batch({1}) + "x"), HasSubstr("1 bytes follow"));
  EXPECT_THAT(failure("test_batch", python_batch({1, 10})), HasSubstr("label 10 of image 1"));
  EXPECT_THAT(failure("test_batch", test::python2_batch({1, 2}, 3, "abcdef")),
              AllOf(HasSubstr("[2, 3]"), HasSubstr("[N, 3072]")));
  EXPECT_THAT(failure("test_batch", std::string("\x80\2}.")), HasSubstr("'data'"));
}

TEST_F(Cifar10, NamesAMissingBatch) {
  write("", ".bin", binary_batch);
  fs::remove(root_ / "data_batch_5.bin");
  EXPECT_THAT(test::failure_of([&] { load(); }), HasSubstr("lacks data_batch_5.bin"));
}

TEST(PickledBatch, CountsLabelsFromAnother) {
  const test::TemporaryDirectory directory;
  write_file(directory.path() / "batch", test::python2_batch({1, 10}, 3, "abcdef"));
  ImageBatch batch;
  append_pickled_batch(directory.path() / "batch", {3, 1, 1}, 10, {.first = 1}, batch);
  EXPECT_THAT(batch.labels, ::testing::ElementsAre(0, 9));
  EXPECT_THAT(
      test::failure_of([&] {
        append_pickled_batch(directory.path() / "batch", {3, 1, 1}, 10, {.first = 2}, batch);
      }),
      HasSubstr("label -1 of image 0"));
}

}  // namespace
}  // namespace yoke
