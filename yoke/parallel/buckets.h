// yoke/parallel/buckets.h: the flat gradient in parts that are reduced one by one.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "yoke/core/flat_parameters.h"

namespace yoke {

/// Elements [begin, end) of the flat gradient.
struct Bucket {
  std::int64_t begin = 0, end = 0;
};

inline constexpr double kMiB = 1 << 20;  ///< Bytes; options give sizes of buckets in it.

/// How large buckets are.
struct BucketSizes {
  std::int64_t first_bucket_bytes = std::int64_t{1} << 20;  ///< Of the first, at least.
  std::int64_t bucket_bytes = std::int64_t{25} << 20;       ///< Of the others, at least.
};

/// Cuts the flat gradient at borders of parameters, from its end on, where backward passes begin:
/// first the first bucket, then the others, and what is left.
std::vector<Bucket> cut_into_buckets(const FlatParameters& parameters, const BucketSizes& sizes);

/// Those of `buckets` in which some parameter learns: the gradient of others is zero on every rank.
std::vector<Bucket> that_learn(std::vector<Bucket> buckets, const FlatParameters& parameters);

/// Tells of buckets as they fill up, in their order whatever the order in which parts come: ranks
/// must reduce alike. Calls come from one thread at a time.
class BucketFiller {
 public:
  /// `full(bucket)` is called once per bucket and step.
  BucketFiller(std::vector<Bucket> buckets, std::function<void(std::size_t bucket)> full);

  const std::vector<Bucket>& buckets() const { return buckets_; }
  /// Before each step.
  void reset();
  /// Elements [begin, end) are there.
  void fill(std::int64_t begin, std::int64_t end);

 private:
  const std::vector<Bucket> buckets_;
  const std::function<void(std::size_t)> full_;
  std::vector<std::int64_t> missing_;  // elements, by bucket
  std::size_t next_ = 0;               // the first that was not told
};

}  // namespace yoke
