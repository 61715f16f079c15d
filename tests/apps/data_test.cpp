#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::last_line;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;

TEST(DataCommand, ListsEveryDatasetWithItsSource) {
  const auto result = run_yoke({"data", "list"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, testing::ContainsRegex("glyphs +built in +[a-z]"));
  EXPECT_THAT(result.output, testing::ContainsRegex("mnist +fetch 11.6 MB +[A-Za-z]"));
  EXPECT_THAT(result.output, testing::ContainsRegex("fashion-mnist +fetch 30.9 MB"));
  EXPECT_THAT(result.output, testing::ContainsRegex("cifar10 +fetch 170.1 MB"));
  EXPECT_THAT(result.output, testing::ContainsRegex("cifar100 +fetch 168.5 MB"));
}

TEST(DataCommand, HasNothingToFetchOfWhatIsBuiltIn) {
  const auto result = run_yoke({"data", "fetch", "glyphs"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("nothing to fetch"));
}

TEST(DataCommand, DescribesGlyphsAsAPersonAndAsAProgramReads) {
  const auto result = run_yoke({"data", "info", "glyphs", "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("train        60000 images"), HasSubstr("1x28x28")));
  const auto object = nlohmann::json::parse(last_line(result.output));
  EXPECT_EQ(object["name"], "glyphs");
  EXPECT_EQ(object["image"], (std::vector{1, 28, 28}));
  EXPECT_EQ(object["validation"]["images"], 10'000);
  EXPECT_EQ(object["size_bytes"], 70'000 * 28 * 28);
  std::int64_t sum = 0;
  for (const std::int64_t count : object["train"]["class_counts"]) sum += count;
  EXPECT_EQ(sum, 60'000);
}

TEST(DataCommand, NamesDamagedPhotosInTheirFolder) {
  const test::TemporaryDirectory directory;
  for (const char* const name : {"train/a/1.png", "train/b/1.png", "val/a/1.png"}) {
    fs::create_directories((directory.path() / name).parent_path());
    write_file(directory.path() / name, test::png_file(test::picture(9, 12)));
  }
  write_file(directory.path() / "train/b/2.png", "no image");
  const auto result = run_yoke(
      {"data", "info", "image-folder:damaged=0.5,root=" + directory.path().string(), "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("train/b/2.png is damaged"), HasSubstr("3x224x224"),
                                   HasSubstr("damaged      1 files")));
  EXPECT_EQ(nlohmann::json::parse(last_line(result.output))["damaged_images"], 1);
}

TEST(DataCommand, RefusesUnknownNamesAndWords) {
  for (const char* const action : {"fetch", "info"}) {
    const auto result = run_yoke({"data", action, "mnits"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("did you mean 'mnist'?"));
  }
  EXPECT_EQ(run_yoke({"data"}).status, 2);
  EXPECT_EQ(run_yoke({"data", "remove", "mnist"}).status, 2);
  EXPECT_EQ(run_yoke({"data", "fetch", "mnist", "--mirror", "/a/path"}).status, 2);
}

TEST(DataCommand, SaysHowToGetWhatIsNotThere) {
  const test::TemporaryDirectory directory;
  const auto result = run_yoke({"data", "info", "mnist", "--data-dir", directory.path().string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("yoke data fetch mnist"));
}

TEST(DataCommand, FetchesFromACopyWithoutTheInternet) {
  const auto copy = test::real_data("mnist");
  if (!copy) GTEST_SKIP() << "no copy of mnist on this machine";
  const test::TemporaryDirectory directory;
  const std::vector<std::string> command = {"data",
                                            "fetch",
                                            "mnist",
                                            "--mirror",
                                            "file://" + copy->string(),
                                            "--data-dir",
                                            directory.path().string()};
  auto result = run_yoke(command);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("9.9 MB, md5 is right"));
  EXPECT_TRUE(fs::exists(directory.path() / "MNIST/raw/t10k-labels-idx1-ubyte.gz"));
  result = run_yoke(command);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("already there"));
  result = run_yoke({"data", "info", "mnist", "--data-dir", directory.path().string(), "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  const auto object = nlohmann::json::parse(last_line(result.output));
  EXPECT_NEAR(object["mean"][0], 0.1307, 5e-5);  // the values everybody uses
  EXPECT_NEAR(object["deviation"][0], 0.3081, 5e-5);
}

}  // namespace
}  // namespace yoke
