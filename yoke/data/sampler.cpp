#include "yoke/data/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

SizesByEpoch fitting(SizesByEpoch batch_sizes, std::int64_t images) {
  if (images < 1) {
    throw UsageError("the data set has no images; choose one that has, or check its files");
  }
  for (const std::int64_t size : batch_sizes.all()) {
    if (size >= 1 && size <= images) continue;
    throw UsageError(
        fmt::format("batch size {} does not fit a data set of {} images; choose a batch size over "
                    "all ranks from 1 to {}",
                    size, images, images));
  }
  return batch_sizes;
}

}  // namespace

// Epochs `e` and `e + 1` lie in different places, so that threads on both sides of an epoch's end
// find theirs.
struct Sampler::Cache {
  struct Entry {
    std::int64_t epoch = -1;
    Permutation permutation;
  };
  std::mutex mutex;
  std::array<Entry, 2> entries;
};

Sampler::Sampler(std::int64_t images, SizesByEpoch batch_sizes, int rank, int ranks,
                 std::uint64_t seed, bool shuffle, std::shared_ptr<const WeightedOrder> weighted)
    : images_(images),
      batch_sizes_(fitting(std::move(batch_sizes), images)),
      epochs_(Epochs::of(images, batch_sizes_)),
      rank_(rank),
      ranks_(ranks),
      seed_(seed),
      shuffle_(shuffle || weighted != nullptr),
      weighted_(std::move(weighted)),
      cache_(std::make_shared<Cache>()) {
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    throw Error(fmt::format("sampler: there is no rank {} among {} ranks", rank, ranks));
  }
  if (weighted_ && weighted_->images() != images) {
    throw Error(
        fmt::format("sampler: {} weights were given for {} images", weighted_->images(), images));
  }
}

std::int64_t Sampler::global_size(std::int64_t epoch, std::int64_t step) const {
  const std::int64_t size = batch_sizes_.at(epoch);
  return std::min(size, images_ - step * size);
}

std::int64_t Sampler::first_image(std::int64_t epoch, std::int64_t step) const {
  const std::int64_t size = global_size(epoch, step);
  return rank_ * (size / ranks_) + std::min<std::int64_t>(rank_, size % ranks_);
}

std::vector<std::int64_t> Sampler::indices(std::int64_t epoch, std::int64_t step) const {
  const std::int64_t size = global_size(epoch, step);
  const std::int64_t count = size / ranks_ + (rank_ < size % ranks_);
  const std::int64_t first = step * batch_sizes_.at(epoch) + first_image(epoch, step);
  if (!shuffle_) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), first);
    return result;
  }
  const Permutation order = permutation(epoch);
  return {order->begin() + first, order->begin() + first + count};
}

std::int64_t Sampler::image_at(std::int64_t epoch, std::int64_t step, std::int64_t place) const {
  const std::int64_t position = step * batch_sizes_.at(epoch) + place;
  return shuffle_ ? (*permutation(epoch))[static_cast<std::size_t>(position)] : position;
}

std::int64_t Sampler::image_key(std::int64_t epoch, std::int64_t step, std::int64_t place) const {
  if (weighted_) return images_before(epoch, step) + place;
  return epoch * images_ + image_at(epoch, step, place);
}

Sampler::Permutation Sampler::permutation(std::int64_t epoch) const {
  const std::lock_guard lock(cache_->mutex);
  Cache::Entry& entry = cache_->entries[static_cast<std::size_t>(epoch % 2)];
  if (entry.epoch != epoch) {
    entry.permutation = std::make_shared<const std::vector<std::int64_t>>(
        weighted_ ? weighted_->draw(seed_, epoch) : shuffled_order(images_, seed_, epoch));
    entry.epoch = epoch;
  }
  return entry.permutation;
}

}  // namespace yoke
