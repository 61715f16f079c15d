#include "yoke/classify/classifier.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "yoke/classify/middle.h"

namespace yoke {
namespace {

DatasetInfo at_size(DatasetInfo data, const ImageShape& input) {
  data.image = input;
  return data;
}

}  // namespace

Classifier::Classifier(const std::filesystem::path& path, const ClassifierOptions& options)
    : Classifier(open_model(path), options) {}

Classifier::Classifier(OpenedModel opened, const ClassifierOptions& options)
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
