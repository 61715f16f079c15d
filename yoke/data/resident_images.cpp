#include "yoke/data/resident_images.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

using torch::Tensor;
using torch::indexing::Slice;

std::int64_t bytes_of(const Dataset& dataset, std::int64_t padding) {
  const ImageShape& image = dataset.info().image;
  return dataset.size() * image.channels * (image.height + 2 * padding) *
         (image.width + 2 * padding);
}

}  // namespace

bool ResidentImages::can_keep(const Dataset& dataset, const Transform& transform) {
  return !dataset.draws() && transform.only_places() &&
         bytes_of(dataset, transform.augmentation().crop) <= kMostBytes;
}

ResidentImages::ResidentImages(std::shared_ptr<const Dataset> dataset, const Transform& transform,
                               torch::Device device)
    : dataset_(std::move(dataset)),
      device_(device),
      padding_(transform.augmentation().crop),
      kept_(static_cast<std::size_t>(dataset_->size())) {
  if (!can_keep(*dataset_, transform)) {
    throw Error(
        fmt::format("the images of data set '{}' cannot stay on {}: they are drawn anew "
                    "each time, changed by more than crop and flip, or take over {} bytes",
                    dataset_->info().name, device.str(), kMostBytes));
  }
  const ImageShape& image = dataset_->info().image;
  pixels_ = torch::zeros(
      {dataset_->size(), image.height + 2 * padding_, image.width + 2 * padding_, image.channels},
      torch::device(device).dtype(torch::kUInt8));
  const auto numbers = torch::device(device).dtype(torch::kInt64);
  rows_ = torch::arange(image.height, numbers).view({1, -1, 1});
  columns_ = torch::arange(image.width, numbers).view({1, 1, -1});
  std::vector<float> scale, shift;
  for (const auto& channel : transform.channels()) {
    scale.push_back(channel.scale);
    shift.push_back(channel.shift);
  }
  scale_ = torch::tensor(scale).to(device);
  shift_ = torch::tensor(shift).to(device);
  wait();  // other streams read these
}

std::string ResidentImages::describe() const {
  return fmt::format("stay on {} from their first use on, in {}", device_.str(),
                     format_bytes(static_cast<std::int64_t>(pixels_.nbytes())));
}

Tensor ResidentImages::take(std::span<const std::int64_t> images,
                            std::span<const CropAndFlip> placements, const std::stop_token& stop) {
  keep(images, stop);
  const auto count = static_cast<std::int64_t>(images.size());
  const Tensor host =
      torch::empty({4, count}, torch::dtype(torch::kInt64).pinned_memory(device_.is_cuda()));
  auto places = host.accessor<std::int64_t, 2>();
  for (std::int64_t i = 0; i < count; ++i) {
    const CropAndFlip& placement = placements[static_cast<std::size_t>(i)];
    places[0][i] = images[static_cast<std::size_t>(i)];
    places[1][i] = placement.down + padding_;
    places[2][i] = placement.right + padding_;
    places[3][i] = placement.flip ? 1 : 0;
  }
  const auto parts = to_device(host).view({4, count, 1, 1}).unbind();
  const std::int64_t last = columns_.size(2) - 1;
  // Of an image that is mirrored, the column of pixel x is last - x.
  const Tensor columns = parts[2] + columns_ + parts[3] * (last - 2 * columns_);
  Tensor found = pixels_.index({parts[0], parts[1] + rows_, columns}).to(torch::kFloat32);
  return found.mul_(scale_).add_(shift_).permute({0, 3, 1, 2});  // rounded twice, as Transform does
}

/// Brings those of `images` that were not used yet.
void ResidentImages::keep(std::span<const std::int64_t> images, const std::stop_token& stop) {
  std::vector<std::int64_t> missing;
  for (const std::int64_t image : images) {
    if (!kept_[static_cast<std::size_t>(image)]) missing.push_back(image);
  }
  if (missing.empty()) return;
  const ImageShape& shape = dataset_->info().image;
  const auto count = static_cast<std::int64_t>(missing.size());
  const Tensor host = torch::empty({count, shape.channels, shape.height, shape.width},
                                   torch::dtype(torch::kUInt8).pinned_memory(device_.is_cuda()));
  std::vector<std::uint8_t> scratch;
  auto* output = host.data_ptr<std::uint8_t>();
  for (const std::int64_t image : missing) {
    if (stop.stop_requested()) return;
    output = std::ranges::copy(dataset_->pixels(image, scratch), output).out;
  }
  const Slice rows(padding_, padding_ + shape.height), columns(padding_, padding_ + shape.width);
  Tensor inside = pixels_.index({Slice(), rows, columns});
  inside.index_put_({to_device(torch::tensor(missing))}, to_device(host).permute({0, 2, 3, 1}));
  wait();
  for (const std::int64_t image : missing) kept_[static_cast<std::size_t>(image)] = true;
}

/// Until what the current stream was given is done.
void ResidentImages::wait() const {
  if (device_.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device_.type());
  guard.synchronizeStream(guard.getStream(device_));
}

Tensor ResidentImages::to_device(const Tensor& host) const {
  return host.to(device_, /*non_blocking=*/true);
}

}  // namespace yoke
