#include "yoke/study/search/trials.h"

#include <algorithm>
#include <map>
#include <set>

#include "yoke/study/findings/numbers.h"
#include "yoke/study/groups.h"

namespace yoke::study {
namespace {

std::ptrdiff_t rungs_reached(const Trial& trial) {
  return std::count_if(trial.scores.begin(), trial.scores.end(),
                       [](const auto& score) { return score.has_value(); });
}

}  // namespace

std::optional<double> Trial::score() const {
  for (auto each = scores.rbegin(); each != scores.rend(); ++each) {
    if (*each) return *each;
  }
  return std::nullopt;
}

std::vector<Trial> trials_of(const SearchPlan& search, const std::deque<Rung>& rungs) {
  const Number& metric = number_named(search.settings.metric);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < search.study.points.size(); ++i) {
    Trial& trial = trials.emplace_back(Trial{.place = i, .point = &search.study.points[i]});
    for (const auto& rung : rungs) trial.scores.push_back(rung.score(i, metric.name));
  }
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
    if (rungs_reached(a) != rungs_reached(b)) return rungs_reached(a) > rungs_reached(b);
    return a.score() && metric.better(*a.score(), *b.score());
  });
  return trials;
}

std::vector<std::size_t> best_trials(const SearchPlan& search, const std::deque<Rung>& rungs,
                                     std::size_t count) {
  std::vector<std::size_t> places;
  for (const auto& trial : trials_of(search, rungs)) {
    if (places.size() < count && trial.scores.back()) places.push_back(trial.place);
  }
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<std::string> searched_axes(const SearchPlan& search) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& point : search.study.points) {
    for (const auto& [axis, value] : point.axes) values[axis].insert(value);
  }
  std::vector<std::string> names;
  for (const auto& [axis, seen] : values) {
    if (seen.size() > 1) names.push_back(axis);
  }
  return names;
}

std::string drawn_values(const SearchPlan& search, const Trial& trial) {
  Settings values;
  if (!trial.point->case_name.empty()) values["case"] = trial.point->case_name;
  for (const auto& axis : searched_axes(search)) {
    const auto value = trial.point->axes.find(axis);
    if (value != trial.point->axes.end()) values[axis] = value->second;
  }
  return label_of(values);
}

}  // namespace yoke::study
