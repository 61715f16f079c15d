// yoke/forecast/interpolate.h: measured points, read between and beyond.
#pragma once
#include <utility>
#include <vector>

#include "yoke/forecast/link.h"

namespace yoke::forecast {

/// x and y.
using Point = std::pair<double, double>;

/// y at `x`, on lines between neighbouring `points` (x ascending, at least one, y of at least 0);
/// beyond them on the line through the two outer ones, never below 0, or in proportion to x where
/// there is one point or y falls there.
double interpolate(const std::vector<Point>& points, double x);

/// alpha and beta of the line alpha + beta x with the least relative error at `points` (y above 0),
/// neither below 0.
Link fit_link(const std::vector<Point>& points);

}  // namespace yoke::forecast
