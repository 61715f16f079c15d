// tests/apps/recipes_test.cpp: a few steps of each recipe, on the data that it names.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/recipe.h"
#include "yoke/engine/precision.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> recipes() {
  std::vector<std::string> names;
  for (const std::string folder : {"", "races/"}) {
    for (const auto& entry : fs::directory_iterator(YOKE_SOURCE_DIR "/recipes/" + folder)) {
      const auto& path = entry.path();
      if (path.extension() == ".toml") names.push_back(folder + path.stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The value of `key`, up to its first colon; empty where the recipe does not say.
std::string name_of(const fs::path& recipe, const std::string& key) {
  for (const auto& entry : read_recipe(recipe)) {
    if (entry.key == key) return entry.value.substr(0, entry.value.find(':'));
  }
  return "";
}

/// Two classes of photos, in the layout of ImageNet.
void make_photos(const fs::path& root) {
  for (const char* const folder : {"train/a", "train/b", "val/a", "val/b"}) {
    fs::create_directories(root / folder);
    for (int i = 0; i < 6; ++i) {
      write_file(root / folder / fmt::format("{}.jpg", i),
                 test::jpeg_file(test::picture(40 + i, 50 - i)));
    }
  }
}

class Recipe : public testing::TestWithParam<std::string> {
 protected:
  /// `--data-dir` for data set `name`; nothing where it is not here.
  std::optional<fs::path> data_dir(const std::string& name) const {
    if (name == "image-folder") {
      make_photos(directory_.path() / "photos");
      return directory_.path() / "photos";
    }
    if (name == "glyphs") return directory_.path();
    if (name == "imagenet32") return test::real_data("imagenet32-sample");
    const auto found = test::real_data(name);
    return found ? std::optional(found->parent_path()) : std::nullopt;
  }

  test::TemporaryDirectory directory_;
};

TEST_P(Recipe, TrainsAFewSteps) {
  const fs::path recipe = fs::path(YOKE_SOURCE_DIR) / "recipes" / (GetParam() + ".toml");
  const std::string data = name_of(recipe, "data");
  const auto place = data_dir(data);
  if (!place) GTEST_SKIP() << data << " is not here";
  const fs::path out = directory_.path() / "run";
  std::vector<std::string> words = {"train", "--recipe", recipe, "--data-dir",
                                    *place,  "--out",    out};
  for (const char* const word : {"--max-steps", "2", "--threads", "1", "--progress", "lines"}) {
    words.emplace_back(word);
  }
  if (name_of(recipe, "strategy") != "hogwild") {
    words.insert(words.end(), {"--batch-size", "4"});
  }
  if (name_of(recipe, "precision") == "bf16" && !why_not(Precision::kBf16).empty()) {
    words.insert(words.end(), {"--precision", "fp32"});
  }
  const auto result = test::run_yoke(words);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, testing::HasSubstr(" * Val Acc@1"));
  EXPECT_THAT(read_file(out / "summary.json"), testing::HasSubstr("\"steps\": 2"));
}

INSTANTIATE_TEST_SUITE_P(OfTheBox, Recipe, testing::ValuesIn(recipes()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return letter == '-' || letter == '/'; }, '_');
  return name;
});

}  // namespace
}  // namespace yoke
