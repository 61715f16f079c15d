#include "yoke/train/checkpoints/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/train/checkpoints/find_checkpoint.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Checkpoint example(std::int64_t step) {
  return {.step = step,
          .model = {{"weight", torch::full({3, 2}, static_cast<double>(step))},
                    {"running_mean", torch::arange(4)}},
          .optimizer = {{"velocity", torch::full({6}, 0.5)}},
          .state = {{"seed", 7}, {"loss", 0.1}, {"epoch", {1, 2}}}};
}

void flip_byte(const fs::path& path, std::size_t place) {
  auto bytes = read_file(path);
  bytes.at(place) = static_cast<char>(bytes.at(place) ^ 1);
  write_file(path, bytes);
}

template <typename Failure, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Checkpoint, RoundTripKeepsEverything) {
  const test::TemporaryDirectory directory;
  const auto root = directory.path() / "run" / "checkpoints";
  const auto path = write_checkpoint(root, example(500));
  EXPECT_EQ(path, root / "step-00000500");
  const auto read = read_checkpoint(path);
  EXPECT_EQ(read.step, 500);
  EXPECT_EQ(read.state, example(500).state);
  ASSERT_EQ(read.model.size(), 2u);
  EXPECT_EQ(read.model[1].first, "running_mean");
  EXPECT_TRUE(torch::equal(read.model[0].second, example(500).model[0].second));
  EXPECT_TRUE(torch::equal(read.optimizer.at(0).second, torch::full({6}, 0.5)));
}

TEST(Checkpoint, ListIsNewestFirstWithoutTemporaries) {
  const test::TemporaryDirectory directory;
  for (const auto step : {5, 123456789, 40}) write_checkpoint(directory.path(), example(step));
  fs::create_directory(directory.path() / ".step-00000900.tmp-1");
  fs::create_directory(directory.path() / "step-00000900.old");
  EXPECT_THAT(list_checkpoints(directory.path()),
              ElementsAre(directory.path() / "step-123456789", directory.path() / "step-00000040",
                          directory.path() / "step-00000005"));
  EXPECT_TRUE(list_checkpoints(directory.path() / "missing").empty());
}

TEST(Checkpoint, SavingAGoodStepAgainReplacesNothing) {
  const test::TemporaryDirectory directory;
  const auto path = write_checkpoint(directory.path(), example(5));
  auto other = example(5);
  other.state = "other";
  write_checkpoint(directory.path(), other);
  EXPECT_EQ(read_checkpoint(path).state, example(5).state);
  flip_byte(path / "state.json", 0);
  write_checkpoint(directory.path(), other);
  EXPECT_EQ(read_checkpoint(path).state, "other");
}

class DamagedCheckpoint : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    write_checkpoint(directory_.path(), example(1));
    file_ = write_checkpoint(directory_.path(), example(2)) / GetParam();
  }

  /// Reading names the damaged file and, unless it is the manifest, says `problem`; the older
  /// checkpoint is found instead.
  void expect_damage(const char* problem = "") {
    const auto message =
        message_of<Error>([&] { read_checkpoint(directory_.path() / "step-00000002"); });
    EXPECT_THAT(message, HasSubstr("is damaged"));
    EXPECT_THAT(message, HasSubstr(file_.string()));
    if (file_.filename() != "manifest.json") {
      EXPECT_THAT(message, HasSubstr(problem));
    }
    std::vector<std::string> problems;
    const auto good = read_newest_good(
        directory_.path(), [&](const std::string& problem) { problems.push_back(problem); });
    ASSERT_TRUE(good.has_value());
    EXPECT_EQ(good->step, 1);
    EXPECT_THAT(problems, ElementsAre(message));
  }

  test::TemporaryDirectory directory_;
  fs::path file_;
};

TEST_P(DamagedCheckpoint, IsNamedWhenAFileIsMissing) {
  fs::remove(file_);
  expect_damage();
}

TEST_P(DamagedCheckpoint, IsNamedWhenAFileIsShort) {
  fs::resize_file(file_, fs::file_size(file_) - 1);
  if (file_.filename() == "manifest.json") fs::resize_file(file_, fs::file_size(file_) / 2);
  expect_damage("bytes, expected");
}

TEST_P(DamagedCheckpoint, IsNamedWhenABitIsWrong) {
  flip_byte(file_, fs::file_size(file_) - 2);
  expect_damage("sha256 sum");
}

TEST_P(DamagedCheckpoint, IsNamedWhenAFileIsEmpty) {
  fs::resize_file(file_, 0);
  expect_damage();
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedCheckpoint,
                         ::testing::Values("model.safetensors", "optimizer.safetensors",
                                           "state.json", "manifest.json"));

TEST(Checkpoint, RefusesAManifestOfAnotherFormat) {
  const test::TemporaryDirectory directory;
  const auto path = write_checkpoint(directory.path(), example(2));
  auto manifest = nlohmann::json::parse(read_file(path / "manifest.json"));
  manifest["format"] = 2;
  write_file(path / "manifest.json", manifest.dump());
  EXPECT_THAT(message_of<Error>([&] { read_checkpoint(path); }), HasSubstr("has format 2"));
  manifest["format"] = 1;
  manifest["files"].erase("state.json");
  write_file(path / "manifest.json", manifest.dump());
  EXPECT_THAT(message_of<Error>([&] { read_checkpoint(path); }), HasSubstr("lacks an entry"));
}

TEST(FindCheckpoint, TakesARunItsFolderOrOneCheckpoint) {
  const test::TemporaryDirectory directory;
  const auto folder = directory.path() / "checkpoints";
  const auto old = write_checkpoint(folder, example(1));
  const auto recent = write_checkpoint(folder, example(2));
  EXPECT_EQ(find_checkpoint(directory.path()), recent);
  EXPECT_EQ(find_checkpoint(folder), recent);
  EXPECT_EQ(find_checkpoint(old), old);
  flip_byte(recent / "model.safetensors", 20);
  std::string problem;
  EXPECT_EQ(find_checkpoint(folder, [&](const std::string& text) { problem = text; }), old);
  EXPECT_THAT(problem, HasSubstr("step-00000002"));
  flip_byte(old / "state.json", 0);
  EXPECT_THAT(message_of<UsageError>([&] { find_checkpoint(folder); }), HasSubstr("state.json"));
}

TEST(FindCheckpoint, SaysWhatItLookedForWhenThereIsNone) {
  const test::TemporaryDirectory directory;
  EXPECT_THAT(message_of<UsageError>([&] { find_checkpoint(directory.path()); }),
              HasSubstr("holds no checkpoint: looked for manifest.json"));
  EXPECT_THAT(message_of<UsageError>([] { find_checkpoint("/nowhere"); }),
              HasSubstr("/nowhere does not exist"));
}

}  // namespace
}  // namespace yoke
