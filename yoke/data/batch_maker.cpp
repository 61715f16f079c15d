#include "yoke/data/batch_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/random.h"

namespace yoke {
namespace {

/// Of image `i`, the heavier class first.
void set_classes(Batch& batch, std::int64_t i, std::int64_t own, std::int64_t other, float share) {
  auto* const target = batch.target.data_ptr<std::int64_t>();
  auto* const other_target = batch.other_target.data_ptr<std::int64_t>();
  const bool swaps = share > 0.5F;
  target[i] = swaps ? other : own;
  other_target[i] = swaps ? own : other;
  batch.other_share.data_ptr<float>()[i] = swaps ? 1 - share : share;
}

}  // namespace

BatchMaker::BatchMaker(std::shared_ptr<const Dataset> dataset, Sampler sampler, Transform transform,
                       const Mixing& mixing, std::uint64_t seed)
    : dataset_(std::move(dataset)),
      sampler_(std::move(sampler)),
      transform_(std::move(transform)),
      mixing_(mixing),
      seed_(seed) {
  if (sampler_.images() == dataset_->size()) return;
  throw Error(fmt::format("loader: the sampler is for {} images, the data set has {}",
                          sampler_.images(), dataset_->size()));
}

std::int64_t BatchMaker::label(std::int64_t image) const {
  const std::int64_t label = dataset_->label(image);
  const auto& info = dataset_->info();
  if (label >= 0 && label < info.classes()) return label;
  throw Error(fmt::format("data set {}: image {} is of class {}, but its classes are 0 to {}",
                          info.name, image, label, info.classes() - 1));
}

Batch BatchMaker::make(std::int64_t step, bool pinned, Scratch& scratch,
                       const std::stop_token& stop) const {
  const Step place = step_of(step);
  const auto indices = sampler_.indices(place.epoch, place.number);
  const auto size = static_cast<std::int64_t>(indices.size());
  const ImageShape& shape = transform_.output_shape();
  const auto options = torch::TensorOptions().pinned_memory(pinned);
  const auto floats = options.dtype(torch::kFloat32), classes = options.dtype(torch::kInt64);
  Batch batch{.input = torch::empty({size, shape.channels, shape.height, shape.width}, floats),
              .target = torch::empty({size}, classes),
              .first_image = sampler_.first_image(place.epoch, place.number),
              .step_images = sampler_.global_size(place.epoch, place.number)};
  auto* const input = batch.input.data_ptr<float>();
  auto* const target = batch.target.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < size && !stop.stop_requested(); ++i) {
    make_image(place, batch.first_image + i, scratch, input + i * shape.elements());
    target[i] = label(indices[static_cast<std::size_t>(i)]);
  }
  if (mixing_.none()) return batch;
  batch.other_target = torch::empty({size}, classes);
  batch.other_share = torch::empty({size}, floats);
  mix(place, batch, scratch, stop);
  return batch;
}

Batch BatchMaker::make(std::int64_t step, ResidentImages& images,
                       const std::stop_token& stop) const {
  if (&images.dataset() != dataset_.get() || !mixing_.none()) {
    throw Error("loader: images that stay on a device are this data set's, and are not mixed");
  }
  const Step place = step_of(step);
  const auto indices = sampler_.indices(place.epoch, place.number);
  const std::int64_t first = sampler_.first_image(place.epoch, place.number);
  std::vector<CropAndFlip> placements;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    RandomStream random = random_of(place, first + static_cast<std::int64_t>(i));
    placements.push_back(draw_crop_and_flip(transform_.augmentation(), random));
    labels.push_back(label(indices[i]));
  }
  const auto input = images.take(indices, placements, stop);
  return {.input = input,
          .target = torch::tensor(labels, torch::kInt64).to(input.device()),
          .first_image = first,
          .step_images = sampler_.global_size(place.epoch, place.number)};
}

RandomStream BatchMaker::random_of(const Step& step, std::int64_t place) const {
  const auto key = static_cast<std::uint64_t>(sampler_.image_key(step.epoch, step.number, place));
  return {seed_, 0, key, Purpose::kAugment};
}

void BatchMaker::make_image(const Step& step, std::int64_t place, Scratch& scratch,
                            float* output) const {
  const std::int64_t image = sampler_.image_at(step.epoch, step.number, place);
  RandomStream random = random_of(step, place);
  const auto elements = static_cast<std::size_t>(transform_.output_shape().elements());
  transform_.apply(dataset_->drawn_pixels(image, random, scratch.pixels), random,
                   {output, elements});
}

PairMix BatchMaker::draw_pair(const Step& step, std::int64_t place) const {
  const std::int64_t first = std::min(place, place ^ 1);
  const auto key = sampler_.images_before(step.epoch, step.number) + first;
  RandomStream random(seed_, 0, static_cast<std::uint64_t>(key), Purpose::kMix);
  return draw_mix(mixing_, transform_.output_shape(), random);
}

void BatchMaker::mix(const Step& step, Batch& batch, Scratch& scratch,
                     const std::stop_token& stop) const {
  const ImageShape& shape = transform_.output_shape();
  const std::int64_t elements = shape.elements();
  scratch.other.resize(static_cast<std::size_t>(elements));
  auto* const input = batch.input.data_ptr<float>();
  const auto* const target = batch.target.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < batch.size() && !stop.stop_requested(); ++i) {
    const std::int64_t place = batch.first_image + i;
    const std::int64_t partner = partner_of(place, batch.whole());
    const PairMix pair = draw_pair(step, place);
    float* const image = input + i * elements;
    if (partner != place + 1 || i + 1 == batch.size()) {  // another rank's, or mixed already
      const std::int64_t other = sampler_.image_at(step.epoch, step.number, partner);
      make_image(step, partner, scratch, scratch.other.data());
      mix_in(pair, shape, scratch.other.data(), image);
      set_classes(batch, i, target[i], label(other), pair.share);
      continue;
    }
    const std::int64_t own = target[i], next = target[i + 1];
    std::copy_n(image, elements, scratch.other.data());
    mix_in(pair, shape, image + elements, image);
    mix_in(pair, shape, scratch.other.data(), image + elements);
    set_classes(batch, i, own, next, pair.share);
    set_classes(batch, ++i, next, own, pair.share);
  }
}

}  // namespace yoke
