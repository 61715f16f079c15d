#include "yoke/core/sizes_by_epoch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr SizeRange kRange{.most = 4096, .example = "0:96,6:128,14:160"};

TEST(SizesByEpoch, AreThoseOfTheNewestEpochThatIsNamed) {
  const auto sizes = SizesByEpoch::parse("0:96,6:128,14:96", "--image-size", kRange);
  EXPECT_EQ(sizes.at(0), 96);
  EXPECT_EQ(sizes.at(5), 96);
  EXPECT_EQ(sizes.at(6), 128);
  EXPECT_EQ(sizes.at(14), 96);
  EXPECT_EQ(sizes.at(1'000'000'000'000), 96);
  EXPECT_EQ(sizes.last(), 96);
  EXPECT_EQ(sizes.last_epoch(), 14);
  EXPECT_THAT(sizes.all(), ElementsAre(96, 128));
  EXPECT_EQ(SizesByEpoch::parse("64", "", kRange).at(3), 64);
  EXPECT_FALSE(SizesByEpoch().given());
  EXPECT_TRUE(SizesByEpoch().all().empty());
}

TEST(SizesByEpoch, AreRefusedWithWhatIsAllowed) {
  for (const char* const text :
       {"", "0", "4097", "x", "0:32,", "1:32", "0:32,0:64", "0:32,5:64,3:8", "-1:32", "32,1:64",
        "0:32,64", "0:32:64", "0:32, 4:64", "0.5:32"}) {
    EXPECT_THAT(failure_of<UsageError>([&] { SizesByEpoch::parse(text, "--image-size", kRange); }),
                AllOf(HasSubstr(fmt::format("--image-size is '{}'", text)),
                      HasSubstr("0:96,6:128,14:160")));
  }
}

TEST(SizesByEpoch, AreWrittenAsTheyAreRead) {
  for (const char* const text : {"64", "0:96,6:128,14:96"}) {
    const auto sizes = SizesByEpoch::parse(text, "", kRange);
    EXPECT_EQ(sizes.str(), text);
    EXPECT_EQ(SizesByEpoch::parse(sizes.str(), "", kRange), sizes);
  }
  EXPECT_EQ(SizesByEpoch::parse("0:64", "", kRange).str(), "64");
  EXPECT_EQ(SizesByEpoch(64), SizesByEpoch::parse("64", "", kRange));
  EXPECT_EQ(SizesByEpoch().str(), "");
}

TEST(SizesByEpoch, CountFromALaterEpochToo) {
  const auto sizes = SizesByEpoch::parse("0:96,6:128,14:160", "", kRange);
  for (const std::int64_t first : {0, 5, 6, 7, 13, 14, 20}) {
    const auto later = sizes.from(first);
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
      EXPECT_EQ(later.at(epoch), sizes.at(first + epoch)) << first << " " << epoch;
    }
  }
}

}  // namespace
}  // namespace yoke::test
