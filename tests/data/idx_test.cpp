// tests/data/idx_test.cpp: idx files, whole and damaged.
#include "yoke/data/formats/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"

namespace yoke {
namespace {

using test::idx_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string failure(std::string_view bytes, int dimensions) {
  return test::failure_of([&] { parse_idx(bytes, dimensions, "file"); });
}

TEST(Idx, GivesShapeAndValues) {
  const std::string bytes = idx_file({2, 1, 3}, "abcdef");
  const IdxArray array = parse_idx(bytes, 3, "file");
  EXPECT_THAT(array.shape, ElementsAre(2, 1, 3));
  EXPECT_THAT(array.values, ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
}

TEST(Idx, ReadsLengthsAsBigEndian) {
  const std::string bytes = idx_file({258}, std::string(258, 'x'));
  EXPECT_THAT(parse_idx(bytes, 1, "file").shape, ElementsAre(258));
}

TEST(Idx, FailsOnAnotherMagicNumber) {
  EXPECT_THAT(failure(idx_file({1}, "x"), 3), AllOf(HasSubstr("file"), HasSubstr("2049"),
                                                    HasSubstr("2051"), HasSubstr("expected")));
  EXPECT_THAT(failure("PK\3\4 is no idx file", 1), HasSubstr("magic"));
  EXPECT_THAT(failure("", 1), HasSubstr("too few"));
}

TEST(Idx, FailsWhenCutShort) {
  const std::string bytes = idx_file({2, 2}, "abcd");
  EXPECT_THAT(failure(bytes.substr(0, 3), 2), HasSubstr("3 bytes"));
  EXPECT_THAT(failure(bytes.substr(0, 9), 2), HasSubstr("9 of 12 bytes"));
  EXPECT_THAT(failure(bytes.substr(0, 15), 2),
              AllOf(HasSubstr("3 bytes"), HasSubstr("4 expected"), HasSubstr("cut short")));
}

TEST(Idx, FailsWhenTooLong) {
  EXPECT_THAT(failure(idx_file({2, 2}, "abcde"), 2),
              AllOf(HasSubstr("5 bytes"), HasSubstr("4 expected"), HasSubstr("too long")));
}

TEST(Idx, FailsWhenTheDimensionsOverflow) {
  // 2^96 is 0 in 64 bits, and would fit an empty file.
  EXPECT_THAT(failure(idx_file({1U << 31, 1U << 31, 1U << 31}, ""), 3), HasSubstr("overflows"));
  EXPECT_THAT(failure(idx_file({1U << 31, 1U << 31, 4}, ""), 3), HasSubstr("overflows"));
  EXPECT_THAT(failure(idx_file({~0U, ~0U}, ""), 2), HasSubstr("overflows"));
  EXPECT_THAT(failure(idx_file({~0U}, ""), 1), HasSubstr("cut short"));
}

}  // namespace
}  // namespace yoke
