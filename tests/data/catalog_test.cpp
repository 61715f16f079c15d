#include "yoke/data/download/catalog.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/download/fetch.h"

namespace yoke {
namespace {

TEST(Catalog, IsWellFormed) {
  for (const auto& dataset : remote_datasets()) {
    SCOPED_TRACE(dataset.name);
    EXPECT_GE(dataset.mirrors.size(), 2u);
    for (const auto& mirror : dataset.mirrors) {
      EXPECT_THAT(mirror, testing::MatchesRegex("https?://.*/"));
    }
    std::set<std::string> digests;
    for (const auto& file : dataset.files) {
      EXPECT_THAT(file.digest.digits, testing::MatchesRegex("[0-9a-f]+"));
      EXPECT_EQ(file.digest.digits.size(), 32u);
      EXPECT_GT(file.size_bytes, 0);
      digests.insert(file.digest.digits);
    }
    EXPECT_EQ(digests.size(), dataset.files.size());
    EXPECT_EQ(dataset.is_archive(), !dataset.unpacked_files.empty());
  }
}

TEST(Catalog, NamesOnlyDatasetsThatCanBeRead) {
  for (const auto& dataset : remote_datasets()) {
    EXPECT_NO_THROW(datasets().find(dataset.name));
    EXPECT_FALSE(is_built_in(dataset.name));
  }
  EXPECT_TRUE(is_built_in("glyphs"));
  EXPECT_EQ(find_remote_dataset("glyphs"), nullptr);
}

// Fetches from a copy on this machine what the catalog describes, and reads it.
class CatalogTest : public testing::TestWithParam<const char*> {};

TEST_P(CatalogTest, DescribesTheRealFiles) {
  const std::string name = GetParam();
  const auto copy = test::real_data(name);
  if (!copy) GTEST_SKIP() << "no copy of " << name << " on this machine";
  const test::TemporaryDirectory directory;
  RemoteFiles dataset = *find_remote_dataset(name);
  dataset.mirrors = {"file://" + copy->string() + "/"};
  fetch(dataset, {.data_dir = directory.path(), .mirror = "", .policy = {}}, {});
  const auto splits = make_dataset(name, {.data_dir = directory.path(), .seed = 0});
  EXPECT_EQ(splits.train->size(), 60'000);
  EXPECT_EQ(splits.validation->size(), 10'000);
}

INSTANTIATE_TEST_SUITE_P(Real, CatalogTest, testing::Values("mnist", "fashion-mnist"),
                         [](const auto& info) {
                           return std::string(info.param) == "mnist" ? "Mnist" : "FashionMnist";
                         });

}  // namespace
}  // namespace yoke
