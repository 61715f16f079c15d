// tests/data/cifar100_test.cpp: CIFAR-100 from its binary and its Python files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/data/pickle_files.h"
#include "tests/support/support.h"
#include "yoke/data/dataset.h"

namespace yoke {
namespace {

constexpr std::size_t kElements = std::size_t{3} * 32 * 32;

/// Each image has a byte of its label's value; before it, in binary records, the coarse class 7.
std::string binary_images(const std::vector<char>& labels) {
  std::string bytes;
  for (const char label : labels) bytes += std::string{7, label} + std::string(kElements, label);
  return bytes;
}

std::string python_images(const std::vector<char>& labels) {
  std::string pixels;
  for (const char label : labels) pixels.append(kElements, label);
  return test::python2_batch({labels.begin(), labels.end()}, kElements, pixels, "fine_labels");
}

class Cifar100 : public testing::Test {
 protected:
  void write(const char* folder, const char* ending,
             std::string (*images)(const std::vector<char>&)) const {
    std::filesystem::create_directories(directory_.path() / folder);
    write_file(directory_.path() / folder / (std::string("train") + ending), images({99, 0, 42}));
    write_file(directory_.path() / folder / (std::string("test") + ending), images({1}));
  }
  DatasetSplits load() const {
    return make_dataset("cifar100", {.data_dir = directory_.path(), .seed = 0});
  }
  void expect_all_images() const {
    const auto splits = load();
    ASSERT_EQ(splits.train->size(), 3);
    ASSERT_EQ(splits.validation->size(), 1);
    const auto& names = splits.train->info().class_names;
    ASSERT_EQ(names.size(), 100U);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(names[42], "leopard");
    std::vector<std::uint8_t> scratch;
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto pixels = splits.train->pixels(i, scratch);
      EXPECT_EQ(pixels.front(), splits.train->label(i));
      EXPECT_EQ(pixels.back(), splits.train->label(i));
    }
    EXPECT_EQ(splits.train->label(0), 99);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Cifar100, ReadsBinaryFiles) {
  write("cifar-100-binary", ".bin", binary_images);
  expect_all_images();
}

TEST_F(Cifar100, ReadsPythonFiles) {
  write("cifar-100-python", "", python_images);
  expect_all_images();
}

TEST_F(Cifar100, FailsOnDamagedFiles) {
  write("cifar-100-binary", ".bin", binary_images);
  const auto file = directory_.path() / "cifar-100-binary/train.bin";
  write_file(file, binary_images({1}).substr(1));
  EXPECT_THAT(test::failure_of([&] { load(); }),
              testing::AllOf(testing::HasSubstr("3073 bytes, no whole number of records of 3074"),
                             testing::HasSubstr("yoke data fetch cifar100")));
  write_file(file, binary_images({100}));
  EXPECT_THAT(test::failure_of([&] { load(); }), testing::HasSubstr("label 100 of image 0"));
}

}  // namespace
}  // namespace yoke
