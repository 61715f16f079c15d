#include "yoke/data/datasets/image_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/data/datasets/image_search.h"

namespace yoke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class ImageFiles : public testing::Test {
 protected:
  const fs::path& root() const { return directory_.path(); }

  void add(const std::string& name) const {
    fs::create_directories((root() / name).parent_path());
    write_file(root() / name, name);
  }

  void add_tar(const std::string& tar, const std::vector<std::string>& names,
               int filter = ARCHIVE_FILTER_NONE) const {
    std::vector<test::ArchiveEntry> entries;
    for (const auto& name : names) entries.push_back({.name = name, .content = name});
    fs::create_directories((root() / tar).parent_path());
    test::write_archive(root() / tar, entries, filter);
  }

  /// `class name` of each image, in order.
  static std::vector<std::string> list(const ImageIndex& index, const ImageSplit& split) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < split.images.size(); ++i) {
      lines.push_back(index.classes()[static_cast<std::size_t>(split.labels[i])] + " " +
                      split.images[i].name);
    }
    return lines;
  }

  /// What is in the file of image `number`.
  static std::string content(const ImageIndex& index, const ImageSplit& split, std::size_t number) {
    std::vector<std::uint8_t> scratch;
    const auto bytes = index.store().read(split.images[number], scratch);
    return {bytes.begin(), bytes.end()};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ImageFiles, MayAllLieInFoldersAboveTheClasses) {
  add_tar("photos.tar", {"my/photos/dog/1.jpg", "my/photos/cat/2.jpg", "my/photos/cat/3.jpg"});
  const ImageIndex index({.roots = {root() / "photos.tar"}, .holdout = 0.5});
  EXPECT_THAT(index.classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(list(index, index.validation()), ElementsAre("cat photos.tar/my/photos/cat/3.jpg"));
  EXPECT_TRUE(index.held_out());
}

TEST_F(ImageFiles, AreSortedByClassAndNameInFoldersOfTrainAndVal) {
  for (const char* const name : {"train/dog/2.jpg", "train/dog/10.JPEG", "train/cat/b.png",
                                 "val/cat/c.Jpg", "train/cat/.hidden.jpg", "train/cat/notes.txt",
                                 "train/dog/deeper/x.jpeg", "stray.jpg", "other/y.jpg"}) {
    add(name);
  }
  const ImageIndex index({.roots = {root()}, .holdout = 0.1});
  EXPECT_THAT(index.classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(list(index, index.train()),
              ElementsAre("cat train/cat/b.png", "dog train/dog/10.JPEG", "dog train/dog/2.jpg",
                          "dog train/dog/deeper/x.jpeg"));
  EXPECT_THAT(list(index, index.validation()), ElementsAre("cat val/cat/c.Jpg"));
  EXPECT_EQ(content(index, index.train(), 1), "train/dog/10.JPEG");
}

TEST_F(ImageFiles, OfTestValidateWhereThereIsNoVal) {
  for (const char* const name : {"train/a/1.jpg", "train/b/1.jpg", "test/b/2.jpg"}) add(name);
  const ImageIndex with_test({.roots = {root()}, .holdout = 0.1});
  EXPECT_THAT(list(with_test, with_test.validation()), ElementsAre("b test/b/2.jpg"));
  add("validation/a/3.jpg");
  const ImageIndex with_both({.roots = {root()}, .holdout = 0.1});
  EXPECT_THAT(list(with_both, with_both.validation()), ElementsAre("a validation/a/3.jpg"));
}

TEST_F(ImageFiles, AreHeldOutEvenlyWithoutASplit) {
  for (const char* const folder : {"a", "b", "train-stations"}) {
    for (int i = 10; i < 30; ++i) add(fmt::format("{}/{}.jpg", folder, i));
  }
  const ImageIndex index({.roots = {root()}, .holdout = 0.25});
  EXPECT_EQ(index.train().images.size(), 45U);
  EXPECT_EQ(index.validation().images.size(), 15U);
  for (std::int64_t label = 0; label < 3; ++label) {
    const auto& labels = index.validation().labels;
    EXPECT_EQ(std::count(labels.begin(), labels.end(), label), 5);
  }
}

TEST_F(ImageFiles, InTarFilesAreFoundLikeThoseInFolders) {
  const std::vector<std::string> inside = {"./train/a/1.jpg", "train/b/2.jpg", "val/a/3.jpg"};
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ}) {
    add_tar("all.tar", inside, filter);
    for (const fs::path& path : {root(), root() / "all.tar"}) {
      const ImageIndex index({.roots = {path}, .holdout = 0.1});
      EXPECT_THAT(list(index, index.train()),
                  ElementsAre("a all.tar/./train/a/1.jpg", "b all.tar/train/b/2.jpg"));
      EXPECT_THAT(list(index, index.validation()), ElementsAre("a all.tar/val/a/3.jpg"));
      EXPECT_EQ(content(index, index.train(), 1), "train/b/2.jpg");
    }
  }
}

TEST_F(ImageFiles, InShardsOfASplitOrOfAClassAreFound) {
  add_tar("train-000.tar", {"a/1.jpg", "b/2.jpg"});
  add_tar("train-001.tar", {"a/3.jpg"});
  add_tar("val.tar", {"a/4.jpg"});
  const ImageIndex by_split({.roots = {root()}, .holdout = 0.1});
  EXPECT_THAT(
      list(by_split, by_split.train()),
      ElementsAre("a train-000.tar/a/1.jpg", "a train-001.tar/a/3.jpg", "b train-000.tar/b/2.jpg"));
  EXPECT_THAT(list(by_split, by_split.validation()), ElementsAre("a val.tar/a/4.jpg"));

  add_tar("classes/train/n01.tar", {"n01_1.JPEG"});
  add_tar("classes/train/n02.tar", {"n02_1.JPEG", "n02_2.JPEG"});
  add_tar("classes/val/n02.tar", {"n02_3.JPEG"});
  const ImageIndex by_class({.roots = {root() / "classes"}, .holdout = 0.1});
  EXPECT_THAT(by_class.classes(), ElementsAre("n01", "n02"));
  EXPECT_EQ(content(by_class, by_class.train(), 2), "n02_2.JPEG");
  EXPECT_EQ(by_class.validation().labels, std::vector<std::int64_t>{1});
}

TEST_F(ImageFiles, AreAskedForWhereThereAreNoneOrOfOneClassAlone) {
  const auto failure = [&] {
    return test::failure_of<UsageError>([&] { ImageIndex({.roots = {root()}, .holdout = 0.1}); });
  };
  EXPECT_THAT(failure(), HasSubstr("training images of no class"));
  add("train/a/1.jpg");
  EXPECT_THAT(failure(), HasSubstr("training images of one class alone, "));
  add("train/b/1.jpg");
  EXPECT_THAT(failure(), HasSubstr("2 remain to train and 0 to validate, with holdout=0.1"));
  add("val/c/1.jpg");
  EXPECT_THAT(test::failure_of([&] { ImageIndex({.roots = {root()}, .holdout = 0.1}); }),
              HasSubstr("'val/c/1.jpg' is of class 'c', which has no training images"));
}

TEST_F(ImageFiles, AreNotInFoldersThatAreNamedAsEmpty) {
  add("train/a/1.jpg");
  add("train/a/deep/2.jpg");
  add("train/b/1.jpg");
  add("train/d/.hidden/1.jpg");
  add("train/words/1.txt");
  add("val/a/1.jpg");
  fs::create_directories(root() / "train/c/deep");
  fs::create_directories(root() / "val/b");
  const ImageIndex index({.roots = {root()}, .holdout = 0.1});
  EXPECT_THAT(index.classes(), ElementsAre("a", "b"));
  EXPECT_THAT(index.empty_folders(), ElementsAre("train/c", "train/d", "train/words", "val/b"));
  fs::remove_all(root() / "train/b");
  EXPECT_THAT(
      test::failure_of<UsageError>([&] { ImageIndex({.roots = {root()}, .holdout = 0.1}); }),
      HasSubstr("(folders without .jpg, .jpeg or .png files: 'train/c', 'train/d'"));
}

TEST_F(ImageFiles, MayNotLieInACircleOfLinks) {
  add("train/a/1.jpg");
  fs::create_directory_symlink(root(), root() / "train" / "a" / "circle");
  EXPECT_THAT(test::failure_of([&] { ImageIndex({.roots = {root()}, .holdout = 0.1}); }),
              HasSubstr("folders deep"));
}

}  // namespace
}  // namespace yoke
