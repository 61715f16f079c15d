// tests/apps/classify_test.cpp: `yoke classify`, as one with photos and a trained model types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/data/image_files.h"
#include "tests/support/lines.h"
#include "tests/train/run.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using test::lines_of;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// Bright and dark photos, and a model that tells them apart.
class YokeClassify : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 40; ++i) write_photo(i);
    const auto trained =
        run_yoke(test::train_words(run(), "--data image-folder:root=" + photos().string() +
                                              " --model mlp:hidden=8 --epochs 8 "
                                              "--batch-size 8 --threads 1 --seed 3"));
    ASSERT_EQ(trained.status, 0) << trained.output;
  }

  /// Uniform but for a slope, so that the mean tells the class.
  void write_photo(int number) const {
    const bool bright = number % 2 == 0;
    test::Picture picture{.height = 40, .width = 30 + number};
    for (int i = 0; i < picture.height * picture.width * 3; ++i) {
      picture.pixels.push_back(static_cast<std::uint8_t>((bright ? 190 : 20) + i % 40));
    }
    const fs::path folder = photos() / (bright ? "bright, very" : "dark");
    fs::create_directories(folder);
    write_file(folder / fmt::format("{:02}.jpg", number), test::jpeg_file(picture));
  }

  /// Standard output alone, with what was printed on standard error beside it.
  struct Printed {
    int status;
    std::string output, errors;
  };

  Printed classify(const std::string& rest) const {
    const auto result = test::run_program(
        {"sh", "-c",
         fmt::format("cd {} && {} classify {} 2> errors", path().string(), YOKE_PROGRAM, rest)});
    return {result.status, result.output, read_file(path() / "errors")};
  }

  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path() / name).parent_path());
    write_file(path() / name, bytes);
  }

  const fs::path& path() const { return directory_.path(); }
  fs::path photos() const { return path() / "photos"; }
  fs::path run() const { return path() / "run"; }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(YokeClassify, LabelsAFolderAndSaysHowManyAreRight) {
  const auto found = classify("run photos");
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("right by the names of their folders: 40 of 40 (100.00 %)"));
  const auto lines = lines_of(found.output);
  EXPECT_THAT(lines.at(0), AllOf(HasSubstr("photos/bright, very/00.jpg"), HasSubstr("%  dark")));
  EXPECT_THAT(lines.at(39), HasSubstr("photos/dark/39.jpg"));
  EXPECT_EQ(found.errors, "");
}

TEST_F(YokeClassify, CountsThoseInAFolderOfAnotherClassAsWrong) {
  const auto dark = read_file(photos() / "dark" / "01.jpg");
  write("sorted/dark/1.jpg", dark);
  write("sorted/bright, very/2.jpg", dark);
  write("sorted/holiday/3.jpg", dark);  // no class of the model
  EXPECT_THAT(classify("run sorted").output, HasSubstr("folders: 1 of 2 (50.00 %)"));
}

TEST_F(YokeClassify, NamesPhotosAsAnExportedModelDoesInPython) {
  const auto file = (path() / "model.ts").string();
  ASSERT_EQ(run_yoke({"export", run().string(), "-o", file}).status, 0);
  const auto script = read_file(fs::path(YOKE_SOURCE_DIR) / "examples/export/classify.py");
  const auto photo = [&](const char* name) { return (photos() / name).string(); };
  const auto found = test::run_python("torch, PIL", script,
                                      {file, photo("bright, very/02.jpg"), photo("dark/07.jpg")});
  if (!found) GTEST_SKIP() << "Debian's python3-torch or python3-pil is not installed";
  EXPECT_EQ(found->status, 0) << found->output;
  std::istringstream lines(found->output);
  for (const char* const name : {"bright, very/02.jpg", "dark/07.jpg"}) {
    const auto ours =
        nlohmann::json::parse(classify(fmt::format("run '{}' --json --top 1", photo(name))).output);
    std::string line;
    std::getline(lines, line);
    EXPECT_THAT(line, HasSubstr(fmt::format("{}  {} {:.1f}", photo(name),
                                            ours.at("label").get<std::string>(),
                                            100 * ours.at("probability").get<double>())));
  }
}

TEST_F(YokeClassify, PrintsJsonAndCsvThatProgramsRead) {
  const auto json = classify("run/model.safetensors photos/dark/01.jpg photos --json --top 1");
  EXPECT_EQ(json.status, 0) << json.errors;
  const auto lines = lines_of(json.output);
  ASSERT_EQ(lines.size(), 41U);
  const auto first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(first.at("path"), "photos/dark/01.jpg");
  EXPECT_EQ(first.at("label"), "dark");
  EXPECT_GT(first.at("probability"), 0.5);
  EXPECT_EQ(first.at("top").size(), 1U);
  EXPECT_FALSE(first.contains("folder")) << "it was given as a file";
  EXPECT_EQ(second.at("folder"), "bright, very");
  const auto csv = classify("run photos/dark photos/dark/03.jpg --csv --top 2");
  EXPECT_EQ(csv.status, 0) << csv.errors;
  const auto rows = lines_of(csv.output);
  ASSERT_EQ(rows.size(), 22U);
  EXPECT_EQ(rows[0], "path,folder,error,label1,probability1,label2,probability2");
  EXPECT_THAT(rows[21],
              AllOf(HasSubstr("photos/dark/03.jpg,,,dark,"), HasSubstr(",\"bright, very\",0.")));
}

TEST_F(YokeClassify, TakesWhatWasExported) {
  const auto file = (path() / "exported.safetensors").string();
  ASSERT_EQ(run_yoke({"export", run().string(), "-o", file}).status, 0);
  const auto exported = classify("exported.safetensors photos --csv"),
             own = classify("run photos --csv");
  EXPECT_EQ(exported.status, 0) << exported.errors;
  EXPECT_EQ(exported.output, own.output);
}

TEST_F(YokeClassify, ReadsNamesFromStandardInputAndTarFiles) {
  write("list", "photos/dark/01.jpg\n\nphotos/dark/03.jpg\n");
  EXPECT_EQ(lines_of(classify("run - --csv < list").output).size(), 3U);
  ASSERT_EQ(
      test::run_program({"tar", "-C", path().string(), "-cf", path() / "all.tar", "photos"}).status,
      0);
  const auto packed = classify("run all.tar");
  EXPECT_THAT(packed.output, AllOf(HasSubstr("all.tar/photos/dark/01.jpg"),
                                   HasSubstr("right by the names of their folders: 40 of 40")));
}

TEST_F(YokeClassify, LeavesDamagedPhotosOutAndSaysSo) {
  const auto whole = test::jpeg_file(test::picture(60, 60));
  write("bad/cut.jpg", whole.substr(0, whole.size() / 3));
  write("bad/empty.jpg", "");
  write("bad/text.jpg", "these are no pixels");
  write("bad/good.jpg", whole);
  const auto found = classify("run bad");
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.output, AllOf(HasSubstr("good.jpg"), Not(HasSubstr("cut.jpg"))));
  EXPECT_THAT(found.errors,
              AllOf(HasSubstr("bad/cut.jpg is left out"), HasSubstr("bad/empty.jpg is left out"),
                    HasSubstr("bad/text.jpg is left out"), HasSubstr("3 of 4 photos")));
  const auto json = classify("run bad --json");
  EXPECT_EQ(json.status, 1);
  EXPECT_TRUE(nlohmann::json::parse(lines_of(json.output).at(0)).contains("error"));
}

TEST_F(YokeClassify, TakesPhotosOfEveryKind) {
  write("kinds/alpha.png", test::png_file(test::picture(50, 60, 4), PNG_COLOR_TYPE_RGB_ALPHA));
  write("kinds/deep.png", test::png_file(test::picture(50, 60), PNG_COLOR_TYPE_RGB, 16));
  write("kinds/grey.jpg", test::jpeg_file(test::picture(50, 60, 1)));
  write("kinds/cmyk.jpg", test::jpeg_file(test::picture(50, 60, 4)));
  write("kinds/turned.jpg", test::jpeg_file(test::picture(50, 60), {.orientation = 6}));
  write("kinds/one.png", test::png_file(test::picture(1, 1)));
  const auto found = classify("run kinds --csv");
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_EQ(lines_of(found.output).size(), 7U);
}

TEST_F(YokeClassify, ComputesTheSameWithBothEnginesAndOverViews) {
  const auto labels_by = [&](const std::string& flags) {
    const auto found = classify("run photos --json " + flags);
    EXPECT_EQ(found.status, 0) << found.errors;
    std::vector<nlohmann::json> labels;
    for (const auto& line : lines_of(found.output)) labels.push_back(nlohmann::json::parse(line));
    return labels;
  };
  const auto expected = labels_by("--engine eager");
  ASSERT_EQ(expected.size(), 40U);
  for (const char* const flags : {"--engine compiled --batch-size 7 -j 2", "--tta flip"}) {
    const auto found = labels_by(flags);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].at("path"), expected[i].at("path")) << flags;
      EXPECT_EQ(found[i].at("label"), expected[i].at("label")) << flags;
      EXPECT_NEAR(found[i].at("probability"), expected[i].at("probability"), 0.01) << flags;
    }
  }
}

TEST_F(YokeClassify, ShowsMistakesFirstOnASheet) {
  fs::create_directories(path() / "mixed" / "dark");
  fs::create_directories(path() / "mixed" / "bright, very");
  fs::copy(photos() / "bright, very" / "02.jpg", path() / "mixed/dark/wrong.jpg");
  fs::copy(photos() / "dark" / "03.jpg", path() / "mixed/dark/<right>.jpg");
  fs::copy(photos() / "bright, very" / "04.jpg", path() / "mixed/bright, very/also.jpg");
  write("mixed/dark/damaged.jpg", "no photo");
  const auto found = classify("run mixed --sheet sheet.html");
  EXPECT_EQ(found.status, 1) << "one is damaged";
  const auto page = read_file(path() / "sheet.html");
  EXPECT_THAT(
      page,
      HasSubstr(
          "4 photos; 2 of 3 right by the names of their folders (66.67 %); 1 could not be read."));
  const auto place = [&](const std::string& text) {
    EXPECT_THAT(page, HasSubstr(text));
    return page.find(text);
  };
  EXPECT_LT(place("Not the class of their folder"), place("mixed/dark/wrong.jpg"));
  EXPECT_LT(place("mixed/dark/wrong.jpg</span>"), place("The least certain first"));
  EXPECT_LT(place("The least certain first"), place("mixed/dark/&lt;right&gt;.jpg</span>"));
  EXPECT_THAT(page, HasSubstr("<br>its folder: dark"));
  EXPECT_THAT(page, Not(HasSubstr("damaged.jpg")));
  EXPECT_EQ(page.find("<figure class=\"wrong\">"), page.rfind("<figure class=\"wrong\">"));
  EXPECT_THAT(page, HasSubstr("data:image/jpeg;base64,/9j/"));

  const auto again = classify("run mixed --sheet sheet.html");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors,
              AllOf(HasSubstr("--sheet sheet.html exists already"), HasSubstr("--force")));
  EXPECT_EQ(classify("run photos --sheet sheet.html --force").status, 0);
  EXPECT_THAT(read_file(path() / "sheet.html"), HasSubstr("40 photos; 40 of 40 right"));
  EXPECT_EQ(classify("run photos --sheet nowhere/sheet.html").status, 2);
}

TEST_F(YokeClassify, SaysWhatIsWrong) {
  const auto expect_refused = [&](const std::string& rest, const std::string& why) {
    const auto found = classify(rest);
    EXPECT_EQ(found.status, 2) << found.output << found.errors;
    EXPECT_THAT(found.errors, HasSubstr(why));
  };
  fs::create_directories(path() / "empty");
  expect_refused("run", "PATHS is required");
  expect_refused("run nowhere.jpg", "there is no nowhere.jpg");
  expect_refused("run empty", "there are no photos");
  expect_refused("nowhere photos", "nowhere does not exist");
  expect_refused("run photos --json --csv", "--json excludes --csv");
  expect_refused("run photos --tta upside-down", "allowed: none, flip, flip-shift");
  expect_refused("run photos --precision fp8", "allowed: fp32");
  expect_refused("run photos --precision bf16 --engine eager", "--engine compiled");
}

}  // namespace
}  // namespace yoke
