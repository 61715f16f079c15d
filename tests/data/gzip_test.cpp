// tests/data/gzip_test.cpp: plain, compressed and damaged files.
#include "yoke/data/formats/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/dataset_files.h"
#include "tests/support/support.h"

namespace yoke {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Gzip : public ::testing::Test {
 protected:
  std::string read(const std::string& bytes, std::int64_t limit_bytes = 1 << 20) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_plain_or_gzip(path_, limit_bytes);
  }
  std::string failure(const std::string& bytes, std::int64_t limit_bytes = 1 << 20) {
    return test::failure_of([&] { read(bytes, limit_bytes); });
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "file.gz";
};

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i / 7);
  return text;
}

TEST_F(Gzip, ReadsPlainFilesAsTheyAre) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("\x1f"), "\x1f");
  EXPECT_EQ(read(pattern(1000)), pattern(1000));
}

TEST_F(Gzip, ReadsCompressedFilesOfAnySize) {
  for (const std::size_t size : {0, 1, 17, 1024, 100'000, 1'000'000}) {
    EXPECT_EQ(read(test::gzip(pattern(size))), pattern(size)) << size;
  }
  const std::string zeros(1 << 20, '\0');  // compresses a thousandfold
  EXPECT_EQ(read(test::gzip(zeros)), zeros);
}

TEST_F(Gzip, ReadsSeveralMembersAsOneFile) {
  EXPECT_EQ(read(test::gzip("one, ") + test::gzip("") + test::gzip("two")), "one, two");
}

TEST_F(Gzip, FailsWhenCutShortAtAnyByte) {
  const std::string whole = test::gzip(pattern(500));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_THAT(failure(whole.substr(0, size)), AllOf(HasSubstr("file.gz"), HasSubstr("cut short")))
        << size;
  }
}

TEST_F(Gzip, NeverGivesOtherDataWhenAByteIsChanged) {
  const std::string whole = test::gzip(pattern(500));
  std::size_t failures = 0;
  for (std::size_t at = 10; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      EXPECT_EQ(read(damaged), pattern(500)) << at;  // not every bit of the format matters
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.gz"));
      ++failures;
    }
  }
  EXPECT_GT(failures, whole.size() * 9 / 10);
}

TEST_F(Gzip, FailsWhenOtherBytesFollow) {
  EXPECT_THAT(failure(test::gzip("text") + "more"),
              AllOf(HasSubstr("file.gz"), HasSubstr("4 bytes follow")));
}

TEST_F(Gzip, FailsBeyondTheLimit) {
  EXPECT_EQ(read(test::gzip(pattern(1000)), 1000), pattern(1000));
  EXPECT_EQ(read(pattern(1000), 1000), pattern(1000));
  EXPECT_THAT(failure(test::gzip(pattern(1001)), 1000), HasSubstr("more than 1.0 kB"));
  EXPECT_THAT(failure(test::gzip(std::string(1 << 22, '\0')), 5000), HasSubstr("more than"));
  EXPECT_THAT(failure(pattern(1001), 1000), HasSubstr("more than 1.0 kB"));
}

TEST_F(Gzip, FailsWhenThereIsNoFile) {
  EXPECT_THAT(test::failure_of([&] { read_plain_or_gzip(directory_.path() / "none", 10); }),
              AllOf(HasSubstr("none"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace yoke
