#include "yoke/parallel/buckets.h"

#include <algorithm>

namespace yoke {

std::vector<Bucket> cut_into_buckets(const FlatParameters& parameters, const BucketSizes& sizes) {
  constexpr std::int64_t kElementBytes = sizeof(float);
  std::vector<Bucket> buckets;
  std::int64_t end = parameters.size();
  const auto& slices = parameters.slices();
  for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
    const std::int64_t wanted = buckets.empty() ? sizes.first_bucket_bytes : sizes.bucket_bytes;
    const bool last = slice + 1 == slices.rend();
    if (!last && (end - slice->offset) * kElementBytes < wanted) continue;
    buckets.push_back({slice->offset, end});
    end = slice->offset;
  }
  return buckets;
}

std::vector<Bucket> that_learn(std::vector<Bucket> buckets, const FlatParameters& parameters) {
  const auto& slices = parameters.slices();
  std::erase_if(buckets, [&](const Bucket& bucket) {
    return std::none_of(slices.begin(), slices.end(), [&](const ParameterSlice& slice) {
      return !slice.frozen && slice.offset < bucket.end &&
             slice.offset + slice.elements > bucket.begin;
    });
  });
  return buckets;
}

BucketFiller::BucketFiller(std::vector<Bucket> buckets, std::function<void(std::size_t)> full)
    : buckets_(std::move(buckets)), full_(std::move(full)) {
  reset();
}

void BucketFiller::reset() {
  missing_.clear();
  for (const auto& [begin, end] : buckets_) missing_.push_back(end - begin);
  next_ = 0;
}

void BucketFiller::fill(std::int64_t begin, std::int64_t end) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    missing_[i] -= std::max<std::int64_t>(
        0, std::min(end, buckets_[i].end) - std::max(begin, buckets_[i].begin));
  }
  for (; next_ < buckets_.size() && missing_[next_] == 0; ++next_) full_(next_);
}

}  // namespace yoke
