// yoke/parallel/server/pieces.h: buckets of the flat gradient, cut where parts begin.
#pragma once
#include <algorithm>
#include <vector>

#include "yoke/parallel/buckets.h"
#include "yoke/parallel/sharding/shards.h"

namespace yoke {

/// The elements of `bucket` that are of the part of `server`; perhaps none.
inline Bucket piece_of(const Bucket& bucket, const Shards& shards, int server) {
  const std::int64_t begin = std::max(bucket.begin, shards.begin_of(server));
  return {begin, std::max(begin, std::min(bucket.end, shards.end_of(server)))};
}

/// What a server is pushed, in this order, counted from the beginning of its part.
inline std::vector<Bucket> pieces_of(const std::vector<Bucket>& buckets, const Shards& shards,
                                     int server) {
  std::vector<Bucket> pieces;
  for (const Bucket& bucket : buckets) {
    const auto [begin, end] = piece_of(bucket, shards, server);
    const std::int64_t first = shards.begin_of(server);
    if (begin < end) pieces.push_back({begin - first, end - first});
  }
  return pieces;
}

}  // namespace yoke
