// tests/classify/classifier_test.cpp: a model that a run has left, in use.
#include "yoke/classify/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/data/image_files.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/data/formats/encoded_image.h"
#include "yoke/data/loader.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/module_state.h"

namespace yoke {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Small photos of two classes, and models that were trained on them or on glyphs.
class TrainedClassifier : public testing::Test {
 protected:
  fs::path run_on_glyphs(const std::string& model = "mlp") const {
    TrainConfig config = test::small_run(path("glyphs"), model);
    config.epochs = 1;
    train(config);
    return path("glyphs");
  }

  fs::path run_on_photos() const {
    for (int i = 0; i < 24; ++i) {
      const fs::path folder = path("photos") / (i % 2 == 0 ? "Grüne Äpfel" : "pear");
      fs::create_directories(folder);
      write_file(folder / fmt::format("{:02}.jpg", i), photo(i));
    }
    TrainConfig config = test::small_run(path("run"), "lenet");
    config.data = "image-folder:root=" + path("photos").string() + ",crop_pct=0.8";
    config.batch_size = 8;
    config.checkpoint_every = Interval::parse("1epoch", "");
    train(config);
    return path("run");
  }

  static std::string photo(int number) {
    return test::jpeg_file(test::picture(50 + number, 70 - number));
  }

  /// What validation makes of images: those of the data set as the model's own module scores them.
  static torch::Tensor scored(const fs::path& run, const std::string& model,
                              const std::string& data) {
    TrainConfig config;
    config.model = model;
    config.data = data;
    Workload workload(config, 1, {});
    restore_module(*workload.model.module, read_safetensors(run / kWeightsFile), "the run");
    const auto& images = workload.data.validation;
    Loader loader(images, Sampler(images->size(), images->size(), 0, 1, 0, false),
                  Transform(images->info(), {}), 0, 0, 1);
    const torch::NoGradGuard no_grad;
    workload.model.module->eval();
    return torch::softmax(workload.model.forward(loader.next().input), 1);
  }

  static double probability_of(const std::vector<Label>& labels, const std::string& name) {
    for (const auto& label : labels) {
      if (label.name == name) return label.probability;
    }
    return -1;
  }

  fs::path path(const std::string& name) const { return directory_.path() / name; }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(TrainedClassifier, ScoresGreyPixelsAsValidationDoes) {
  const auto run = run_on_glyphs();
  const std::string data = test::small_run("").data;
  const auto expected = scored(run, "mlp", data);
  const auto glyphs = make_dataset(data, {.data_dir = "", .seed = TrainConfig().seed}).validation;
  const Classifier classifier(run);
  std::vector<std::uint8_t> scratch;
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto pixels = glyphs->pixels(i, scratch);
    const test::Picture picture{
        .height = 28, .width = 28, .channels = 1, .pixels = {pixels.begin(), pixels.end()}};
    const auto file = test::png_file(picture, PNG_COLOR_TYPE_GRAY);
    const auto labels = classifier.classify(bytes_of(file), 10);
    ASSERT_EQ(labels.size(), 10U);
    for (const auto& label : labels) {
      EXPECT_NEAR(label.probability, expected[i][std::stoi(label.name)].item<double>(), 1e-6);
    }
    EXPECT_GE(labels[0].probability, labels[1].probability);
  }
}

TEST_F(TrainedClassifier, SeesThePartOfAPhotoThatValidationSees) {
  const auto run = run_on_photos();
  const auto expected = scored(
      run, "lenet", "image-folder:root=" + path("photos").string() + ",crop_pct=0.8,holdout=0.5");
  const Classifier classifier(run);
  EXPECT_EQ(classifier.classes(), (std::vector<std::string>{"Grüne Äpfel", "pear"}));
  std::int64_t row = 0;
  for (int number = 2; number < 24; number += 4, ++row) {  // every second of the even ones
    const auto labels = classifier.classify(bytes_of(photo(number)));
    ASSERT_EQ(labels.size(), 2U);
    EXPECT_NEAR(probability_of(labels, "pear"), expected[row][1].item<double>(), 1e-6);
  }
}

TEST_F(TrainedClassifier, TakesPixelsAsWell) {
  const Classifier classifier(run_on_photos());
  const auto picture = test::picture(64, 48);
  const auto of_file = classifier.classify(bytes_of(test::png_file(picture)));
  Raster raster;
  raster.pixels = picture.pixels.data();
  raster.height = picture.height;
  raster.width = picture.width;
  const auto of_pixels = classifier.classify(raster);
  ASSERT_EQ(of_pixels.size(), of_file.size());
  EXPECT_EQ(of_pixels[0].name, of_file[0].name);
  EXPECT_NEAR(of_pixels[0].probability, of_file[0].probability, 1e-6);
  EXPECT_EQ(classifier.classify(raster, 1).size(), 1U);
}

TEST_F(TrainedClassifier, OpensTheFileAloneTheRunAndACheckpoint) {
  const auto run = run_on_photos();
  fs::copy(run / kWeightsFile, path("alone.safetensors"));
  const auto expected = Classifier(run).classify(bytes_of(photo(1)));
  for (const auto& place : {path("alone.safetensors"), run / "checkpoints"}) {
    const auto labels = Classifier(place).classify(bytes_of(photo(1)));
    EXPECT_EQ(labels[0].name, expected[0].name);
    EXPECT_EQ(labels[0].probability, expected[0].probability);
  }
}

TEST_F(TrainedClassifier, AnswersSeveralThreadsAtOnce) {
  const Classifier classifier(run_on_photos());
  std::vector<std::vector<Label>> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(classifier.classify(bytes_of(photo(i))));
  std::vector<int> different(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < different.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 30; ++round) {
        const auto number = (round + static_cast<int>(t)) % 6;
        const auto labels = classifier.classify(bytes_of(photo(number)));
        const auto& wanted = expected[static_cast<std::size_t>(number)];
        if (labels[0].probability != wanted[0].probability) ++different[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(4));
}

TEST_F(TrainedClassifier, ComputesTheSameCompiledAndOverViews) {
  const auto run = run_on_photos();
  const auto input = torch::randn({5, 3, 32, 32});
  const Classifier eager(run), compiled(run, {.engine = EngineKind::kCompiled});
  EXPECT_TRUE(
      torch::allclose(eager.probabilities(input), compiled.probabilities(input), 1e-4, 1e-5));
  const Classifier views(run, {.views = Views::kFlip});
  const auto both = views.probabilities(input), mirrored = views.probabilities(input.flip(3));
  EXPECT_TRUE(torch::allclose(both, mirrored, 1e-4, 1e-5));
  EXPECT_FALSE(torch::allclose(both, eager.probabilities(input), 1e-4, 1e-5));
}

TEST_F(TrainedClassifier, RefusesWhatItCannotUse) {
  const auto refusal = [](const fs::path& file) -> std::string {
    try {
      const Classifier classifier(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  const NamedTensors weights = read_safetensors(run_on_photos() / kWeightsFile);
  const auto description = read_description(path("run") / kWeightsFile);
  const auto write = [&](const ModelDescription& changed) {
    write_safetensors(path("file"), weights, to_metadata(changed));
    return path("file");
  };
  EXPECT_EQ(refusal(write(description)), "taken");
  ModelDescription other = description;
  other.model = "lenett";
  EXPECT_THAT(refusal(write(other)), HasSubstr("did you mean 'lenet'?"));
  other.model = "mlp";
  EXPECT_THAT(refusal(write(other)),
              HasSubstr("takes 3x32x32, but this version's takes 3x224x224"));
  other = description;
  other.data.class_names.emplace_back("plum");
  EXPECT_THAT(refusal(write(other)), HasSubstr("differ"));
  write_safetensors(path("file"), weights);
  EXPECT_THAT(refusal(path("file")), HasSubstr("not of which model"));
  write_file(path("file"), "text");
  EXPECT_THAT(refusal(path("file")), HasSubstr("not a sound safetensors file"));
  EXPECT_THAT(refusal(path("nowhere")), HasSubstr("does not exist"));
  const Classifier classifier(write(description));
  EXPECT_THROW(classifier.classify(bytes_of("text")), DamagedImage);
}

}  // namespace
}  // namespace yoke
