#include "yoke/data/loader.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/random.h"

namespace yoke {
namespace {

LoaderOptions checked(LoaderOptions options) {
  if (options.threads < 1) {
    throw UsageError(
        fmt::format("{} loader threads cannot make batches; use 1 or more", options.threads));
  }
  if (options.prefetch < 1) {
    throw UsageError(
        fmt::format("cannot make {} batches ahead; use a prefetch of 1 or more", options.prefetch));
  }
  return options;
}

}  // namespace

Loader::Loader(std::shared_ptr<const Dataset> dataset, Sampler sampler, Transform transform,
               std::uint64_t seed, std::int64_t first_step, std::int64_t last_step,
               LoaderOptions options)
    : dataset_(std::move(dataset)),
      sampler_(std::move(sampler)),
      transform_(std::move(transform)),
      seed_(seed),
      next_step_(first_step),
      last_step_(last_step),
      options_(checked(options)),
      queue_(first_step, last_step, options.prefetch) {
  if (sampler_.images() != dataset_->size()) {
    throw Error(fmt::format("loader: the sampler is for {} images, the data set has {}",
                            sampler_.images(), dataset_->size()));
  }
  if (first_step < 0 || first_step > last_step) {
    throw Error(fmt::format("loader: [{}, {}) is no range of steps", first_step, last_step));
  }
  for (int i = 0; i < options.threads; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

Loader::~Loader() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

Batch Loader::next() {
  if (failure_) std::rethrow_exception(failure_);
  if (next_step_ == last_step_) {
    throw Error(fmt::format("loader: there is no batch past the last step, {}", last_step_));
  }
  Result result = queue_.take();
  if (const auto* failure = std::get_if<std::exception_ptr>(&result)) {
    failure_ = *failure;
    std::rethrow_exception(failure_);
  }
  ++next_step_;
  Batch batch = std::get<Batch>(std::move(result));
  use_in_this_stream(batch);
  return batch;
}

void Loader::work(const std::stop_token& stop) {
  std::vector<std::uint8_t> scratch;
  std::optional<DeviceCopy> device;
  while (const auto step = queue_.begin(stop)) {
    try {
      if (!device) device.emplace(options_.device);
      queue_.put(*step, device->copy(make(*step, scratch, stop)));
    } catch (...) {
      queue_.put(*step, std::current_exception());
    }
  }
}

std::int64_t Loader::label(std::int64_t image) const {
  const std::int64_t label = dataset_->label(image);
  const auto& info = dataset_->info();
  if (label >= 0 && label < info.classes()) return label;
  throw Error(fmt::format("data set {}: image {} is of class {}, but its classes are 0 to {}",
                          info.name, image, label, info.classes() - 1));
}

Batch Loader::make(std::int64_t step, std::vector<std::uint8_t>& scratch,
                   const std::stop_token& stop) const {
  const std::int64_t epoch = step / sampler_.steps_per_epoch();
  const std::int64_t number = step % sampler_.steps_per_epoch();
  const auto indices = sampler_.indices(epoch, number);
  const auto size = static_cast<std::int64_t>(indices.size());
  const ImageShape& shape = transform_.output_shape();
  const auto options = torch::TensorOptions().pinned_memory(options_.pinned);
  Batch batch{.input = torch::empty({size, shape.channels, shape.height, shape.width},
                                    options.dtype(torch::kFloat32)),
              .target = torch::empty({size}, options.dtype(torch::kInt64)),
              .first_image = sampler_.first_image(number),
              .step_images = sampler_.global_size(number)};
  auto* const input = batch.input.data_ptr<float>();
  auto* const target = batch.target.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < size && !stop.stop_requested(); ++i) {
    const std::int64_t image = indices[static_cast<std::size_t>(i)];
    RandomStream random(seed_, 0, static_cast<std::uint64_t>(epoch * sampler_.images() + image),
                        Purpose::kAugment);
    transform_.apply(dataset_->drawn_pixels(image, random, scratch), random,
                     {input + i * shape.elements(), static_cast<std::size_t>(shape.elements())});
    target[i] = label(image);
  }
  return batch;
}

}  // namespace yoke
