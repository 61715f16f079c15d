#include "yoke/forecast/overlap.h"

#include <algorithm>

namespace yoke::forecast {

std::vector<GradientBucket> cut_gradient(const std::vector<std::int64_t>& elements,
                                         const std::vector<double>& ready, double first_bytes,
                                         double bytes) {
  constexpr double kElementBytes = sizeof(float);
  std::vector<GradientBucket> buckets;
  GradientBucket bucket{.elements = 0, .ready = 0};
  for (std::size_t i = elements.size(); i-- > 0;) {
    bucket.elements += elements[i];
    bucket.ready = std::max(bucket.ready, ready[i]);
    const double wanted = buckets.empty() ? first_bytes : bytes;
    if (i > 0 && static_cast<double>(bucket.elements) * kElementBytes < wanted) continue;
    buckets.push_back(bucket);
    bucket = {.elements = 0, .ready = 0};
  }
  return buckets;
}

double exposed_seconds(const std::vector<Transfer>& transfers, double end) {
  double now = 0;
  for (const Transfer& transfer : transfers) now = std::max(now, transfer.begin) + transfer.seconds;
  return transfers.empty() ? 0 : std::max(0.0, now - end);
}

}  // namespace yoke::forecast
