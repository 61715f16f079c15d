// tests/data/locate_test.cpp: where data sets are found.
#include "yoke/data/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/support/support.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Locate : public ::testing::Test {
 protected:
  void touch(const std::string& file) {
    fs::create_directories((root_ / file).parent_path());
    write_file(root_ / file, "");
  }
  LocatedFiles find() const { return locate("mnist", layouts_, root_); }

  test::TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
  std::vector<DatasetLayout> layouts_ = {
      {.folder = "MNIST/raw", .files = {{"images", "images.gz"}, {"labels"}}},
      {.folder = "MNIST/other", .files = {{"all"}}}};
};

TEST_F(Locate, FindsFilesInEveryPlace) {
  for (const std::string place : {"", "mnist/", "MNIST/raw/", "mnist/MNIST/raw/"}) {
    const test::TemporaryDirectory directory;
    root_ = directory.path();
    touch(place + "images");
    touch(place + "labels");
    EXPECT_THAT(find().paths, ElementsAre(root_ / (place + "images"), root_ / (place + "labels")));
  }
}

TEST_F(Locate, TakesOtherSpellings) {
  touch("images.gz");
  touch("labels");
  EXPECT_THAT(find().paths, ElementsAre(root_ / "images.gz", root_ / "labels"));
}

TEST_F(Locate, TakesTheLayoutThatIsThere) {
  touch("MNIST/other/all");
  EXPECT_EQ(find().layout, 1);
  EXPECT_THAT(find().paths, ElementsAre(root_ / "MNIST/other/all"));
}

TEST_F(Locate, PrefersAFolderThatNamesTheDataSet) {
  for (const std::string place : {"", "MNIST/raw/"}) {
    touch(place + "images");
    touch(place + "labels");
  }
  EXPECT_EQ(find().paths[0], root_ / "MNIST/raw/images");
}

TEST_F(Locate, PrefersACompletePlace) {
  touch("mnist/images");
  touch("images");
  touch("labels");
  EXPECT_EQ(find().paths[0], root_ / "images");
}

TEST_F(Locate, NamesWhatIsMissing) {
  touch("mnist/labels");
  EXPECT_THAT(test::failure_of([&] { find(); }),
              AllOf(HasSubstr((root_ / "mnist").string()), HasSubstr("lacks images"),
                    Not(HasSubstr("lacks labels"))));
}

TEST_F(Locate, ListsThePlacesAndTheCommandWhenThereIsNothing) {
  EXPECT_THAT(
      test::failure_of<UsageError>([&] { find(); }),
      AllOf(HasSubstr((root_ / "mnist").string() + ","), HasSubstr((root_ / "MNIST/raw").string()),
            HasSubstr((root_ / "mnist/MNIST/raw").string()),
            HasSubstr("yoke data fetch mnist --data-dir " + root_.string())));
}

TEST_F(Locate, TakesNoFolderForAFile) {
  fs::create_directories(root_ / "images");
  touch("labels");
  EXPECT_THAT(test::failure_of([&] { find(); }), HasSubstr("lacks images"));
}

TEST(FetchCommand, IsEmptyForDataThatCannotBeFetched) {
  EXPECT_EQ(fetch_command("glyphs", "."), "");
  EXPECT_EQ(fetch_command("cifar10", "data"), "yoke data fetch cifar10 --data-dir data");
}

}  // namespace
}  // namespace yoke
