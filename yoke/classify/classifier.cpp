#include "yoke/classify/classifier.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "yoke/classify/middle.h"
#include "yoke/core/error.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/find_checkpoint.h"
#include "yoke/train/checkpoints/module_state.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

fs::path find_weights(const fs::path& path) {
  if (fs::is_regular_file(path)) return path;
  const fs::path final_weights = RunDirectory{path}.weights();
  const bool is_run = fs::exists(final_weights) && fs::exists(RunDirectory{path}.config());
  return is_run ? final_weights : find_checkpoint(path) / kWeightsFile;
}

Model load(const ModelDescription& description, const fs::path& weights) {
  const ModelInput input{.image = description.data.image, .classes = description.data.classes()};
  Model model = make_model(description.model, input, /*seed=*/0);
  if (model.input != description.input) {
    throw Error(fmt::format("{} says that its model '{}' takes {}, but this version's takes {}",
                            weights.string(), description.model, description.input.str(),
                            model.input.str()));
  }
  restore_module(*model.module, read_safetensors(weights), weights.string());
  return model;
}

DatasetInfo at_size(DatasetInfo data, const ImageShape& input) {
  data.image = input;
  return data;
}

}  // namespace

/// A model that was read.
struct Classifier::Opened {
  explicit Opened(const fs::path& path)
      : weights(find_weights(path)),
        description(read_description(weights)),
        model(load(description, weights)) {}

  fs::path weights;
  ModelDescription description;
  Model model;
};

Classifier::Classifier(const fs::path& path, const ClassifierOptions& options)
    : Classifier(Opened(path), options) {}

Classifier::Classifier(Opened opened, const ClassifierOptions& options)
    : source_(std::move(opened.weights)),
      name_(opened.description.model),
      data_(at_size(std::move(opened.description.data), opened.description.input)),
      views_(options.views),
      model_(std::move(opened.model)),
      parameters_(*model_.module),
      engine_(make_engine(
          model_, parameters_,
          {.kind = options.engine, .precision = options.precision, .threads = options.threads})),
      transform_(data_, Augmentation{}) {}

std::string Classifier::describe() const { return engine_.engine->describe(1); }

std::vector<Label> Classifier::classify(std::span<const std::uint8_t> file, std::size_t top) const {
  std::vector<std::uint8_t> pixels;
  decode_middle(file, data_, pixels);
  return classify_pixels(pixels, top);
}

std::vector<Label> Classifier::classify(const Raster& raster, std::size_t top) const {
  std::vector<std::uint8_t> pixels;
  take_middle(raster, data_, pixels);
  return classify_pixels(pixels, top);
}

std::vector<Label> Classifier::classify_pixels(std::span<const std::uint8_t> pixels,
                                               std::size_t top) const {
  const ImageShape& shape = data_.image;
  const auto input = torch::empty({1, shape.channels, shape.height, shape.width});
  RandomStream unused(0, 0, 0, Purpose::kAugment);
  transform_.apply(pixels, unused,
                   {input.data_ptr<float>(), static_cast<std::size_t>(input.numel())});
  return likeliest(probabilities(input)[0], classes(), top);
}

torch::Tensor Classifier::probabilities(const torch::Tensor& input) const {
  const torch::NoGradGuard no_grad;
  const std::lock_guard turn(turn_);
  return torch::softmax(mean_scores(*engine_.engine, input, views_).to(torch::kFloat32), 1);
}

std::vector<Label> likeliest(const torch::Tensor& probabilities,
                             const std::vector<std::string>& classes, std::size_t top) {
  const auto values = probabilities.to(torch::kCPU).contiguous();
  const auto* const value = values.data_ptr<float>();
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return value[a] != value[b] ? value[a] > value[b] : a < b;
                    });
  std::vector<Label> labels;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::size_t index = order[static_cast<std::size_t>(i)];
    labels.push_back({.name = classes[index], .probability = value[index]});
  }
  return labels;
}

}  // namespace yoke
