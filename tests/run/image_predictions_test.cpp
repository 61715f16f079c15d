// The images that a run keeps to be looked at.
#include "yoke/run/image_predictions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

using test::TemporaryDirectory;

constexpr const char* kJpeg = "/9j/4AAQ+w==";

TEST(ImagePredictions, AreReadAsWritten) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "predictions.jsonl";
  write_image_predictions(path, {{"val/cat/a \"b\".jpg", "cat", "dog", 0.75, kJpeg},
                                 {"caf\xe9.jpg", "cat", "cat", 0.5, kJpeg}});
  const auto read = read_image_predictions(path);
  EXPECT_EQ(read.damaged, 0U);
  ASSERT_EQ(read.lines.size(), 2U);
  const auto& first = read.lines[0];
  EXPECT_EQ(first.name, "val/cat/a \"b\".jpg");
  EXPECT_EQ(first.label, "cat");
  EXPECT_EQ(first.predicted, "dog");
  EXPECT_EQ(first.probability, 0.75);
  EXPECT_EQ(first.jpeg, kJpeg);
  EXPECT_TRUE(first.answer().wrong);
  EXPECT_FALSE(read.lines[1].answer().wrong);
  EXPECT_EQ(read.lines[1].name, "caf\xef\xbf\xbd.jpg");  // what is no UTF-8 is replaced
}

TEST(ImagePredictions, TakeNoLineThatIsNoPrediction) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "predictions.jsonl";
  const std::string good =
      R"({"name":"a","label":"b","predicted":"c","probability":1,"jpeg":"/9j/"})";
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string line = good;
    return line.replace(line.find(part), part.size(), other) + "\n";
  };
  write_file(path, good + "\n" + with(":1,", ":1.5,") + with(":1,", ":-1,") +
                       with(":1,", ":null,") + with("\"b\"", "2") + with("\"name\"", "\"other\"") +
                       with("/9j/", "iVBORw0K") + with("/9j/", "/9j/\\\"><script>") + "[1]\n{\n" +
                       good);  // the last is still being written
  const auto read = read_image_predictions(path);
  EXPECT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.damaged, 9U);
}

TEST(ImagePredictions, AreLookedAtMistakesFirst) {
  std::vector<Answer> answers = {{false, 0.9}, {true, 0.4}, {false, 0.3}, {true, 0.8}};
  std::sort(answers.begin(), answers.end(), looked_at_before);
  std::vector<double> order;
  for (const auto& answer : answers) order.push_back(answer.probability);
  EXPECT_EQ(order, (std::vector<double>{0.8, 0.4, 0.3, 0.9}));
}

}  // namespace
}  // namespace yoke
