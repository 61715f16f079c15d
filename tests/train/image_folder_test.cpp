// Training on photos that are decoded as batches are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/data/image_files.h"
#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/base64.h"
#include "yoke/core/error.h"
#include "yoke/data/formats/jpeg_write.h"
#include "yoke/run/image_predictions.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/predicted_images.h"

namespace yoke {
namespace {

using test::reports;
using testing::HasSubstr;
namespace fs = std::filesystem;

class TrainOnPhotos : public testing::Test {
 protected:
  TrainOnPhotos() {
    for (int i = 0; i < 30; ++i) {
      for (const char* const split : {"train/dark", "train/light", "val/dark", "val/light"}) {
        const fs::path folder = directory_.path() / "images" / split;
        fs::create_directories(folder);
        auto image = test::picture(20 + i, 50 - i);
        const bool dark = folder.filename() == "dark";
        for (auto& value : image.pixels) value = static_cast<std::uint8_t>(value / (dark ? 3 : 1));
        write_file(folder / fmt::format("{:02}.jpg", i), test::jpeg_file(image));
      }
    }
  }

  TrainConfig config(const std::string& name, const std::string& options = "") const {
    TrainConfig config = test::small_run(directory_.path() / name);
    config.data = "image-folder:size=8,root=" + (directory_.path() / "images").string() + options;
    config.batch_size = 16;
    config.checkpoint_every = Interval::parse("5steps", "");
    config.keep = 100;
    return config;
  }

  void damage(const std::string& name) const {
    write_file(directory_.path() / "images" / name, "no image");
  }

  test::TemporaryDirectory directory_;
};

TEST_F(TrainOnPhotos, LearnsAndResumesExactly) {
  TrainConfig whole = config("whole");
  whole.lr = 0.01;
  const auto result = train(whole);
  EXPECT_EQ(result.summary.at("val_top1"), 1.0);
  EXPECT_EQ(result.summary.at("damaged_images"), 0);

  TrainConfig killed = whole;
  killed.out = directory_.path() / "killed";
  killed.loader_threads = 3;
  fs::copy(whole.out, killed.out, fs::copy_options::recursive);
  for (const auto& checkpoint : list_checkpoints(killed.out / "checkpoints")) {
    if (checkpoint.filename() > "step-00000005") fs::remove_all(checkpoint);
  }
  killed.resume = "auto";
  train(killed);
  EXPECT_EQ(reports(whole.out), reports(killed.out));
  EXPECT_EQ(read_file(whole.out / "model.safetensors"),
            read_file(killed.out / "model.safetensors"));
  EXPECT_EQ(read_file(RunDirectory{whole.out}.predictions()),
            read_file(RunDirectory{killed.out}.predictions()));
}

TEST_F(TrainOnPhotos, KeepsImagesToLookAtAndNoDamagedOnes) {
  damage("val/dark/08.jpg");
  // So few that all are kept, and would be the damaged one.
  const auto result = train(config("run", ",damaged=0.1,validation_limit=20"));
  const RunDirectory run{result.directory};
  const auto read = read_image_predictions(run.predictions());
  EXPECT_EQ(read.damaged, 0U);
  EXPECT_EQ(read.lines.size(), 19U);
  const auto wrong = std::count_if(read.lines.begin(), read.lines.end(),
                                   [](const auto& image) { return image.answer().wrong; });
  const auto mistakes = std::lround(20 * (1 - result.summary.at("val_top1").get<double>()));
  EXPECT_NEAR(wrong, mistakes, 1);  // the damaged one may be one
  for (const auto& image : read.lines) {
    EXPECT_NE(image.name, "val/dark/08.jpg");
    EXPECT_EQ(image.name.substr(0, 4 + image.label.size()), "val/" + image.label);
  }
  EXPECT_TRUE(
      std::is_sorted(read.lines.begin(), read.lines.end(), [](const auto& one, const auto& other) {
        return looked_at_before(one.answer(), other.answer());
      }));
}

TEST_F(TrainOnPhotos, LeavesOutImagesThatTheDataDoNotHave) {
  const Workload workload(config("run"), /*threads=*/1, {});
  RunState state;
  state.sightings = {{.image = 60},
                     {.image = -1},
                     {.image = 1, .label = 2},
                     {.image = 1, .predicted = -1},
                     {.image = 59, .label = 1, .predicted = 0}};
  const auto images = predicted_images(workload, state);
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images[0].name, "val/light/29.jpg");
  EXPECT_EQ(images[0].label, "light");
  EXPECT_EQ(images[0].predicted, "dark");
}

TEST_F(TrainOnPhotos, ShowsThePictureThatTheNameIsOf) {
  const auto result = train(config("run"));
  const auto read = read_image_predictions(RunDirectory{result.directory}.predictions());
  ASSERT_FALSE(read.lines.empty());
  const auto splits = make_dataset(config("run").data, {});
  std::map<std::string, std::string> pictures;
  std::vector<std::uint8_t> scratch;
  for (std::int64_t i = 0; i < splits.validation->size(); ++i) {
    pictures[splits.validation->name(i)] =
        base64(write_jpeg(splits.validation->pixels(i, scratch), splits.validation->info().image));
  }
  for (const auto& image : read.lines) EXPECT_EQ(image.jpeg, pictures.at(image.name));
}

TEST_F(TrainOnPhotos, ShowsImagesOfTheBestWeights) {
  TrainConfig best = config("best");
  best.keep_best = true;
  best.checkpoint_every = Interval();
  train(best);
  const auto first = read_file(RunDirectory{best.out}.predictions());
  // Later evaluations are no better than one that is perfect, so its weights are the run's, and so
  // are its images: those of a run that ends there.
  const auto best_step = test::summary(best.out).at("best_step").get<std::int64_t>();
  TrainConfig shorter = config("shorter");
  shorter.checkpoint_every = Interval();
  shorter.max_steps = best_step;
  train(shorter);
  EXPECT_EQ(first, read_file(RunDirectory{shorter.out}.predictions()));
}

TEST_F(TrainOnPhotos, TellsEachDamagedFileOnceAndCountsThem) {
  damage("train/light/07.jpg");
  damage("val/dark/08.jpg");
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  const auto result = train(config("run", ",damaged=0.1"), {}, context);
  EXPECT_EQ(result.summary.at("damaged_images"), 2);
  for (const char* const name : {"train/light/07.jpg", "val/dark/08.jpg"}) {
    const auto first = shown.str().find(name);
    EXPECT_NE(first, std::string::npos) << name;
    EXPECT_EQ(shown.str().find(name, first + 1), std::string::npos) << name << " is told again";
  }
}

TEST_F(TrainOnPhotos, EndsWhenTooManyFilesAreDamaged) {
  damage("train/light/07.jpg");
  try {
    train(config("run"));
    FAIL() << "one of 120 is more than 0.1 %";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 of 120 images are damaged"));
    EXPECT_THAT(error.what(), HasSubstr("train/light/07.jpg"));
  }
  const auto summary = nlohmann::json::parse(read_file(directory_.path() / "run/summary.json"));
  EXPECT_EQ(summary.at("status"), "failed");
  EXPECT_EQ(summary.at("damaged_images"), 1);
}

}  // namespace
}  // namespace yoke
