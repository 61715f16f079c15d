// yoke/forecast/stragglers.h: how long the slowest of many takes.
#pragma once
#include <cstdint>
#include <span>

namespace yoke::forecast {

/// The expected maximum of `count` independent lognormal times, over their mean; at least 1, and 1
/// for one of them. `spread` is the standard deviation of their logarithm. By the distribution of
/// the largest of n (David and Nagaraja 2003, "Order Statistics", section 2.1), integrated.
double slowest_of(std::int64_t count, double spread);

/// The spread of lognormal times with the mean and variance of `samples`, which are above 0; 0 for
/// fewer than two.
double spread_of_samples(std::span<const double> samples);

/// The spread of the sum of `steps` independent lognormal times of `spread` each, itself taken as
/// lognormal with the same mean and variance (Fenton 1960).
double spread_of_sum(double spread, double steps);

}  // namespace yoke::forecast
