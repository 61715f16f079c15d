// Classes of images from a CSV file, and images of several roots.
#include "yoke/data/datasets/image_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/image_index.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class LabelledImages : public testing::Test {
 protected:
  fs::path root() const { return directory_.path() / "photos"; }
  void add(const std::string& name) const {
    fs::create_directories((root() / name).parent_path());
    write_file(root() / name, name);
  }
  ImageIndex index(const std::string& csv, double holdout = 0.5) const {
    write_file(directory_.path() / "labels.csv", csv);
    return ImageIndex(
        {.roots = {root()}, .holdout = holdout, .labels = directory_.path() / "labels.csv"});
  }
  std::string refusal(const std::string& csv) const {
    return test::failure_of<UsageError>([&] { index(csv); });
  }
  static std::vector<std::string> list(const ImageIndex& index, const ImageSplit& split) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < split.images.size(); ++i) {
      lines.push_back(index.classes()[static_cast<std::size_t>(split.labels[i])] + " " +
                      split.images[i].name);
    }
    return lines;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(LabelledImages, HaveTheClassesOfTheFile) {
  for (const char* const name : {"1.jpg", "2.jpg", "3.png", "deep/4.jpg", "5.jpg"}) add(name);
  const auto all = index("file,label\n2.jpg,cat\n1.jpg,dog\n3.png,cat\ndeep/4.jpg,dog\n");
  EXPECT_THAT(all.classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(list(all, all.train()), ElementsAre("cat 2.jpg", "dog 1.jpg"));
  EXPECT_THAT(list(all, all.validation()), ElementsAre("cat 3.png", "dog deep/4.jpg"));
  EXPECT_THAT(all.unlabelled(), ElementsAre("5.jpg"));
  EXPECT_TRUE(all.held_out());
}

TEST_F(LabelledImages, AreNamedWithoutFoldersAndEndings) {
  for (const char* const name : {"a/1.jpg", "a/b/2.jpeg", "a/3.x.jpg", "1/4.jpg"}) add(name);
  const auto all = index("id,breed\n1,pug\nb/2,boxer\n3.x,pug\n4.jpg,boxer\n");
  EXPECT_EQ(all.train().images.size() + all.validation().images.size(), 4U);
  EXPECT_THAT(all.classes(), ElementsAre("boxer", "pug"));
}

TEST_F(LabelledImages, HaveTheSplitsOfTheFileOrTheirFolders) {
  for (const char* const name : {"train/1.jpg", "train/2.jpg", "val/3.jpg", "val/4.jpg"}) add(name);
  const auto by_folder = index("image,class\n1,a\n2,b\n3,a\n4,b\n");
  EXPECT_THAT(list(by_folder, by_folder.validation()), ElementsAre("a val/3.jpg", "b val/4.jpg"));
  EXPECT_FALSE(by_folder.held_out());
  const auto by_file =
      index("split,class,image\nvalid,a,1\nvalidation,b,2\ntrain,a,3\ntrain,b,4\n");
  EXPECT_THAT(list(by_file, by_file.train()), ElementsAre("a val/3.jpg", "b val/4.jpg"));
  EXPECT_THAT(list(by_file, by_file.validation()), ElementsAre("a train/1.jpg", "b train/2.jpg"));
}

TEST_F(LabelledImages, MayLieInTarFiles) {
  fs::create_directories(root());
  test::write_archive(root() / "some.tar",
                      {{.name = "x/1.jpg", .content = "1"}, {.name = "x/2.jpg", .content = "2"}},
                      ARCHIVE_FILTER_NONE);
  const auto all = index("file,label\nx/1.jpg,a\nx/2.jpg,b\n");
  EXPECT_THAT(all.classes(), ElementsAre("a", "b"));
}

TEST_F(LabelledImages, AreRefusedWithTheLineAndWhatIsAllowed) {
  for (const char* const name : {"a/1.jpg", "b/1.jpg", "2.jpg"}) add(name);
  EXPECT_THAT(refusal("file,label\n2.jpg,x\n7.jpg,x\n8.jpg,y\n"),
              AllOf(HasSubstr("labels.csv:3: there is no image '7.jpg', nor 1 others"),
                    HasSubstr("such as '")));
  EXPECT_THAT(refusal("file,label\n1.jpg,x\n"),
              AllOf(HasSubstr(":2: several images are called '1.jpg'"), HasSubstr("folders")));
  EXPECT_THAT(refusal("file,label\n2.jpg,x\n2,y\n"), HasSubstr(":3: '2' has a class already"));
  EXPECT_THAT(refusal("file,label\n2.jpg,\n"), HasSubstr(":2: '2.jpg' has no class"));
  EXPECT_THAT(refusal("file,label,split\n2.jpg,x,dev\n"),
              AllOf(HasSubstr("split 'dev'"), HasSubstr("validation")));
  EXPECT_THAT(refusal("2.jpg\n"), HasSubstr("labels.csv:1: no columns"));
  EXPECT_THAT(refusal(""), HasSubstr("file,label"));
  EXPECT_THAT(refusal("file,label\n"), HasSubstr("no line of an image"));
  EXPECT_THAT(refusal("file,label\n2.jpg,x\n"), HasSubstr("one class alone, 'x'"));
}

TEST_F(LabelledImages, AreADataSetByTheirOption) {
  fs::create_directories(root());
  for (const char* const name : {"1.png", "2.png", "3.png", "4.png"}) {
    write_file(root() / name, test::png_file(test::picture(9, 12)));
  }
  write_file(root() / "train.csv", "file,label\n1,x\n2,y\n3,x\n");
  const std::string data = "image-folder:size=8,holdout=0.4,root=" + root().string();
  const auto splits = make_dataset(data + ",labels=train.csv", {});
  EXPECT_EQ(splits.train->size() + splits.validation->size(), 3);
  EXPECT_EQ(splits.left_out, "the file of labels does not have 1 image: '4.png'");
  EXPECT_THAT(test::failure_of<UsageError>([&] { make_dataset(data + ",labels=no.csv", {}); }),
              AllOf(HasSubstr("labels 'no.csv' does not exist"), HasSubstr("cat/1.jpg,cat")));
}

class SeveralRoots : public testing::Test {
 protected:
  fs::path add(const std::string& name) const {
    const fs::path path = directory_.path() / name;
    fs::create_directories(path.parent_path());
    write_file(path, test::png_file(test::picture(9, 12)));
    return path;
  }
  fs::path operator/(const char* name) const { return directory_.path() / name; }
  std::string data(const std::string& first, const std::string& second) const {
    return "image-folder:size=8,root=" + (directory_.path() / first).string() + ":" +
           (directory_.path() / second).string();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SeveralRoots, AreOneSetOfAllTheirClassesAndSplits) {
  for (const char* const name : {"old/train/cat/1.png", "old/train/dog/1.png", "old/val/cat/2.png",
                                 "new/my/cat/1.png", "new/my/cow/1.png"}) {
    add(name);
  }
  fs::rename(*this / "new/my", *this / "new/train");
  const auto splits = make_dataset(data("old", "new"), {});
  EXPECT_THAT(splits.train->info().class_names, ElementsAre("cat", "cow", "dog"));
  EXPECT_EQ(splits.train->size(), 4);
  EXPECT_EQ(splits.validation->size(), 1);
  EXPECT_EQ(splits.train->name(0), (*this / "new/train/cat/1.png").string());
  std::vector<std::uint8_t> scratch;
  EXPECT_EQ(splits.train->pixels(3, scratch).size(), 3U * 8 * 8);
}

TEST_F(SeveralRoots, MayBeTarFiles) {
  for (const char* const name : {"one", "two"}) {
    test::write_archive((*this / name).string() + ".tar",
                        {{.name = "cat/1.png", .content = std::string("cat of ") + name},
                         {.name = "dog/2.png", .content = std::string("dog of ") + name}},
                        ARCHIVE_FILTER_NONE);
  }
  const ImageIndex index({.roots = {*this / "one.tar", *this / "two.tar"}, .holdout = 0.5});
  std::vector<std::string> found;
  for (const ImageSplit* const split : {&index.train(), &index.validation()}) {
    for (const ImagePlace& place : split->images) {
      std::vector<std::uint8_t> scratch;
      const auto bytes = index.store().read(place, scratch);
      found.emplace_back(bytes.begin(), bytes.end());
    }
  }
  EXPECT_THAT(
      found, testing::UnorderedElementsAre("cat of one", "cat of two", "dog of one", "dog of two"));
}

TEST_F(SeveralRoots, AreRefusedWhereOneIsMissingOrInAnother) {
  add("a/cat/1.png");
  add("a/dog/1.png");
  EXPECT_THAT(test::failure_of<UsageError>([&] { make_dataset(data("a", "b"), {}); }),
              AllOf(HasSubstr("/b' does not exist"), HasSubstr("colons between them")));
  for (const char* const other : {"a", "a/cat"}) {
    EXPECT_THAT(test::failure_of<UsageError>([&] { make_dataset(data("a", other), {}); }),
                HasSubstr("its images would be there twice"));
  }
}

}  // namespace
}  // namespace yoke
