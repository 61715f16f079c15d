// tests/apps/photos_test.cpp: `yoke train FOLDER`, as one with a folder of photos types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using test::run_yoke;
using test::summary;
using testing::HasSubstr;
namespace fs = std::filesystem;

class PhotoTraining : public testing::Test {
 protected:
  /// A folder of photos, `count` of each of two classes.
  fs::path photos(const std::string& name, int count = 20) const {
    const fs::path root = directory_.path() / name;
    for (const char* const label : {"Grüne Äpfel", "pear"}) {
      fs::create_directories(root / label);
      for (int i = 0; i < count; ++i) {
        write_file(root / label / fmt::format("{}.jpg", i),
                   test::jpeg_file(test::picture(40, 40 + i)));
      }
    }
    return root;
  }

  test::ProgramResult train(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"train",         "--out",     out().string(),
                                    "--tensorboard", "off",       "--resources",
                                    "off",           "--threads", "1",
                                    "--max-steps",   "1"};
    all.insert(all.end(), words.begin(), words.end());
    return run_yoke(all);
  }

  void expect_refused(const std::vector<std::string>& words, const std::string& why) const {
    const auto result = train(words);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(why));
    EXPECT_FALSE(fs::exists(out()));
  }

  fs::path out() const { return directory_.path() / "run"; }
  fs::path path(const std::string& name) const { return directory_.path() / name; }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(PhotoTraining, TakesAFolderAndCutsAPartOffToValidate) {
  const auto root = photos("my, photos");
  const auto result = train({root.string(), "--model", "lenet"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("36 training and 4 validation images"));
  EXPECT_THAT(result.output, HasSubstr("held out   10 % of the images validate"));
  EXPECT_EQ(summary(out()).at("classes"), (std::vector<std::string>{"Grüne Äpfel", "pear"}));
  const auto evaluated = run_yoke({"evaluate", out().string()});
  EXPECT_EQ(evaluated.status, 0) << evaluated.output;
}

TEST_F(PhotoTraining, TakesAModelForPhotosWhereNoneIsNamed) {
  const auto result = train({photos("photos", 6).string(), "--batch-size", "2"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(summary(out()).at("model"), "resnet18");
}

TEST_F(PhotoTraining, TakesATarFile) {
  const auto root = photos("photos");
  const auto packed = test::run_program(
      {"tar", "-C", root.parent_path().string(), "-cf", path("photos.tar").string(), "photos"});
  ASSERT_EQ(packed.status, 0) << packed.output;
  const auto result = train({path("photos.tar").string(), "--model", "lenet"});
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(PhotoTraining, TakesSeveralFoldersAsOne) {
  const auto result =
      train({photos("old, photos").string(), photos("new").string(), "--model", "lenet"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("72 training and 8 validation images"));
}

TEST_F(PhotoTraining, TakesClassesFromAFile) {
  const auto root = photos("photos");
  std::string csv = "file,label\n";
  for (int i = 0; i < 20; ++i) csv += fmt::format("pear/{}.jpg,{}\n", i, i % 2 == 0 ? "a" : "b");
  write_file(root / "labels.csv", csv);
  const auto result = train({"--model", "lenet", "--batch-size", "2", "--data",
                             "image-folder:labels=labels.csv,root=" + root.string()});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("18 training and 2 validation images"));
  EXPECT_THAT(result.output, HasSubstr("left out   the file of labels does not have 20 images"));
  EXPECT_EQ(summary(out()).at("classes"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PhotoTraining, SaysWhatToGive) {
  expect_refused({path("nowhere").string()}, "give a folder of photos");
  const auto sound = photos("sound").string();
  expect_refused({sound, path("nowhere").string()}, "no file or folder '");
  expect_refused({sound, photos("a:b").string()}, "has a colon");
  expect_refused({"mnits"}, "did you mean --data mnist?");
  expect_refused({photos("photos").string(), "--data", "glyphs"}, "give one");
  expect_refused({"--model", "lenet"}, "nothing to train on");
  fs::create_directories(path("empty/one"));
  expect_refused({path("empty").string()}, "training images of no class");
}

}  // namespace
}  // namespace yoke
