#include "yoke/study/scaling.h"

#include <algorithm>
#include <array>
#include <map>

#include "yoke/core/parse_number.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

constexpr double kNothing = 0.02;  // of the rate; less cannot be told from the noise of a host

std::string label_without(const Repetitions& group, const std::string& axis) {
  Settings others = group.settings;
  others.erase(axis);
  return label_of(others);
}

std::vector<std::string> present(const Comparison& comparison,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& name : names) {
    if (!lines_over(comparison, name).empty()) found.push_back(name);
  }
  return found;
}

double median_of(const Repetitions& group, const char* number) {
  return group.sample(number).median;
}

/// Seconds of a step by what they went into.
struct Parts {
  double compute = 0, communication = 0, data_wait = 0;
};

Parts parts_of(const Repetitions& group) {
  const double steps = std::max(1.0, median_of(group, "steps"));
  Parts parts{.communication = median_of(group, key::kCommunicationSeconds) / steps,
              .data_wait = median_of(group, key::kDataWaitSeconds) / steps};
  parts.compute =
      median_of(group, key::kTrainSeconds) / steps - parts.communication - parts.data_wait;
  return parts;
}

/// How many settings two groups share.
std::size_t likeness(const Repetitions& a, const Repetitions& b) {
  std::size_t count = 0;
  for (const auto& [name, value] : a.settings) {
    const auto other = b.settings.find(name);
    count += other != b.settings.end() && other->second == value;
  }
  return count;
}

/// Of all places of the least x, the one most like the beginning of `line`.
Line::Place base_of(const Line& line, const std::vector<Line::Place>& all) {
  const auto least = std::min_element(all.begin(), all.end(),
                                      [](const auto& a, const auto& b) { return a.x < b.x; });
  Line::Place base = *least;
  const Repetitions& own = *line.places.front().group;
  for (const auto& place : all) {
    if (place.x == least->x && likeness(*place.group, own) > likeness(*base.group, own)) {
      base = place;
    }
  }
  return base;
}

/// Compares the last place with the base's step shared out evenly. With a fixed batch per rank
/// a step is to take as long as before, with a fixed one over all ranks a part of it.
std::string cause_of(const Line& line) {
  const Repetitions &first = *line.base.group, &last = *line.places.back().group;
  const Parts before = parts_of(first), after = parts_of(last);
  const double images_before = median_of(first, key::kBatchSize);
  const double images_after = median_of(last, key::kBatchSize);
  if (images_before <= 0 || images_after <= 0) return "";
  const double ideal = images_after / images_before * line.base.x / line.places.back().x;
  const std::array<std::pair<double, const char*>, 3> excess = {
      {{after.compute - ideal * before.compute, "computing"},
       {after.communication - ideal * before.communication, "communication"},
       {after.data_wait - ideal * before.data_wait, "waiting for data"}}};
  const auto most = std::max_element(excess.begin(), excess.end());
  const double whole = after.compute + after.communication + after.data_wait;
  return most->first > kNothing * whole ? most->second : "";
}

}  // namespace

std::vector<Line> lines_over(const Comparison& comparison, const std::string& axis) {
  if (std::find(comparison.axes.begin(), comparison.axes.end(), axis) == comparison.axes.end()) {
    return {};
  }
  std::vector<Line> lines;
  std::vector<Line::Place> all;
  for (const auto& group : comparison.groups) {
    const auto x = parse_number<double>(group.settings.at(axis));
    if (!x) return {};
    const std::string label = label_without(group, axis);
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const Line& other) { return other.label == label; });
    if (line == lines.end()) line = lines.insert(line, {.label = label, .places = {}, .base = {}});
    line->places.push_back({*x, &group});
    all.push_back({*x, &group});
  }
  std::erase_if(lines, [](const Line& line) { return line.places.size() < 2; });
  for (auto& line : lines) {
    std::sort(line.places.begin(), line.places.end(),
              [](const auto& a, const auto& b) { return a.x < b.x; });
    line.base = base_of(line, all);
  }
  return lines;
}

std::vector<std::string> worker_axes(const Comparison& comparison) {
  return present(comparison, {"ranks", flag::kReplicas, flag::kThreads});
}

std::vector<std::string> batch_axes(const Comparison& comparison) {
  return present(comparison, {flag::kBatchSize, flag::kBatchSizePerRank});
}

std::optional<Scaling> scaling_of(const Line& line) {
  Scaling scaling;
  const double first = median_of(*line.base.group, key::kImagesPerSecond);
  if (first <= 0 || line.base.x <= 0) return std::nullopt;
  for (const auto& place : line.places) {
    const double speed_up = median_of(*place.group, key::kImagesPerSecond) / first;
    if (speed_up <= 0) return std::nullopt;
    scaling.steps.push_back(
        {.x = place.x, .speed_up = speed_up, .efficiency = speed_up * line.base.x / place.x});
  }
  const auto fastest =
      std::max_element(scaling.steps.begin(), scaling.steps.end(),
                       [](const auto& a, const auto& b) { return a.speed_up < b.speed_up; });
  for (std::size_t i = 0; i + 1 < scaling.steps.size(); ++i) {
    if (scaling.steps[i].speed_up >= fastest->speed_up * (1 - kNothing)) {
      scaling.stops_at = i;
      break;
    }
  }
  scaling.cause = cause_of(line);
  return scaling;
}

}  // namespace yoke::study
