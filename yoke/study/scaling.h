// yoke/study/scaling.h: points of a comparison as lines over one of its axes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/groups.h"

namespace yoke::study {

/// Points that differ in one axis alone, by its value.
struct Line {
  struct Place {
    double x = 0;
    const Repetitions* group = nullptr;
  };
  std::string label;          ///< What its points share; empty where there is a single line.
  std::vector<Place> places;  ///< At least two, by x.
  Place base;                 ///< What speed-up is against: the nearest point of the least x.
};

/// The lines over `axis`, whose values must be numbers; none where they are not. `comparison` must
/// outlive them.
std::vector<Line> lines_over(const Comparison& comparison, const std::string& axis);

/// Axes that count what computes together.
std::vector<std::string> worker_axes(const Comparison& comparison);

/// Axes that count images per step.
std::vector<std::string> batch_axes(const Comparison& comparison);

/// How a line scales.
struct Scaling {
  struct Step {
    double x = 0;
    double speed_up = 1;    ///< Images per second, by those of the line's base; medians.
    double efficiency = 1;  ///< `speed_up` by the ideal, which is the ratio of x.
  };
  std::vector<Step> steps;
  std::optional<std::size_t> stops_at;  ///< The last place after which nothing is gained.
  std::string cause;  ///< What grew most beyond the ideal at the last place; empty: nothing did.
};

/// Nothing where a place lacks its rate.
std::optional<Scaling> scaling_of(const Line& line);

}  // namespace yoke::study
