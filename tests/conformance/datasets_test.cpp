// What every data set of the registry must do; a newcomer is tested by its line in datasets.def.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/locate.h"
#include "yoke/data/transforms/transform.h"

namespace yoke {
namespace {

using testing::HasSubstr;

class EveryDataset : public testing::TestWithParam<std::string> {};

/// Where the real files are, if they are.
std::filesystem::path data_root() {
  const auto mnist = test::real_data("mnist");
  return mnist ? mnist->parent_path() : std::filesystem::path("no-such-folder");
}

std::string failure(const std::string& text, const std::filesystem::path& data_dir) {
  try {
    make_dataset(text, {.data_dir = data_dir, .seed = 1});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "loaded";
}

TEST_P(EveryDataset, SaysHowToGetItsFilesOrNeedsNone) {
  const test::TemporaryDirectory empty;
  const auto message = failure(GetParam() + ":train_limit=10", empty.path());
  if (message == "loaded") return;
  EXPECT_THAT(message, HasSubstr(empty.path().string()));
  const std::string command = fetch_command(GetParam(), empty.path());
  EXPECT_THAT(message, HasSubstr(command.empty() ? "--data-dir" : command));
}

TEST_P(EveryDataset, HoldsWhatItsInfoSays) {
  DatasetSplits splits;
  try {
    splits = make_dataset(GetParam(), {.data_dir = data_root(), .seed = 1});
  } catch (const UsageError&) {
    GTEST_SKIP() << "the files of " << GetParam() << " are not here";
  }
  for (const auto& split : {splits.train, splits.validation}) {
    const DatasetInfo& info = split->info();
    EXPECT_EQ(info.name, GetParam());
    EXPECT_GT(info.classes(), 1);
    ASSERT_GT(split->size(), info.classes());
    EXPECT_EQ(info.mean.size(), static_cast<std::size_t>(info.image.channels));
    EXPECT_NO_THROW(Transform(info, {}));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(info.classes()));
    std::vector<std::uint8_t> scratch;
    for (std::int64_t i = 0; i < split->size(); ++i) {
      ++counts.at(static_cast<std::size_t>(split->label(i)));
      if (i % 997 == 0) {
        const auto pixels = split->pixels(i, scratch);
        EXPECT_EQ(pixels.size(), static_cast<std::size_t>(info.image.elements()));
        if (split->draws()) continue;
        std::vector<std::uint8_t> other;
        RandomStream random(1, 0, static_cast<std::uint64_t>(i), Purpose::kTest);
        EXPECT_TRUE(std::ranges::equal(split->drawn_pixels(i, random, other), pixels))
            << "image " << i << " is drawn, and draws() denies it";
      }
    }
    for (const auto count : counts) EXPECT_GT(count, 0) << "a class without images";
  }
}

TEST_P(EveryDataset, RejectsAnUnknownOption) {
  const auto message = failure(GetParam() + ":no_such_option=1,train_limit=10", data_root());
  EXPECT_THAT(message, HasSubstr("no_such_option"));
  EXPECT_THAT(message, HasSubstr("flip"));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDataset, testing::ValuesIn(datasets().names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace yoke
