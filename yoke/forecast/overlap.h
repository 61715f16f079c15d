// yoke/forecast/overlap.h: how much of the exchange the backward pass hides (Li et al. 2020,
// "PyTorch Distributed", section 3.2).
#pragma once
#include <cstdint>
#include <vector>

namespace yoke::forecast {

/// A part of the gradient that is reduced at once.
struct GradientBucket {
  std::int64_t elements = 0;
  double ready = 1;  ///< When all of it is there: a fraction of the time of forward and backward.
};

/// Cuts a gradient as the strategy does (`cut_into_buckets` of yoke/parallel/buckets.h): from its
/// end, at borders of parameters, first at least `first_bytes`, then at least `bytes` each.
/// `elements` and `ready` are of each parameter, in the order of the flat vector.
std::vector<GradientBucket> cut_gradient(const std::vector<std::int64_t>& elements,
                                         const std::vector<double>& ready, double first_bytes,
                                         double bytes);

/// What begins at `begin` seconds at the earliest and then takes `seconds`.
struct Transfer {
  double begin = 0;
  double seconds = 0;
};

/// Seconds for which transfers, one after the other in this order, go on after `end`.
double exposed_seconds(const std::vector<Transfer>& transfers, double end);

}  // namespace yoke::forecast
