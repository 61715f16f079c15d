#include "yoke/study/search/search_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/format.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/random.h"
#include "yoke/run/flag_names.h"
#include "yoke/study/points.h"

namespace yoke::study {
namespace {

/// Numbers of a draw that are one axis' own, whatever other axes there are.
RandomStream stream_of(const std::string& axis, std::int64_t seed, std::uint64_t draw) {
  const std::string digits = checksum("sha256", std::as_bytes(std::span(axis))).substr(0, 6);
  std::uint32_t key = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), key, 16);
  return {static_cast<std::uint64_t>(seed), key, draw, Purpose::kSearch};
}

RecipeEntry drawn(const Axis& axis, std::int64_t seed, std::uint64_t draw) {
  RandomStream stream = stream_of(axis.key, seed, draw);
  if (!axis.range) return axis.values[stream.below(axis.values.size())];
  return {.key = axis.key, .value = axis.range->draw(stream), .line = axis.line};
}

StudyPoint draw_point(const std::vector<PointStart>& starts, std::int64_t seed, std::uint64_t draw,
                      const std::string& where) {
  const PointStart& start = starts[stream_of("case", seed, draw).below(starts.size())];
  StudyPoint point = start.point;
  for (const auto& axis : start.axes) {
    const RecipeEntry entry = drawn(axis, seed, draw);
    set_flag(point, entry, where);
    point.axes[axis.key] = entry.value;
  }
  return point;
}

/// How many trials differ; nothing where any number does.
std::optional<std::int64_t> count_of(const std::vector<PointStart>& starts) {
  constexpr std::int64_t kMost = 1'000'000;  // many more than trials
  std::int64_t all = 0;
  for (const auto& start : starts) {
    std::int64_t points = 1;
    for (const auto& axis : start.axes) {
      const auto values =
          axis.range ? axis.range->count() : std::optional<std::int64_t>(std::ssize(axis.values));
      if (!values) return std::nullopt;
      points = std::min(kMost, points * std::min(kMost, *values));
    }
    all += points;
  }
  return all;
}

[[noreturn]] void refuse_too_few(const std::string& points, int trials, const std::string& where) {
  throw UsageError(
      fmt::format("{}: the axes make {}, and [search] asks for {} trials; ask for fewer trials, or "
                  "give axes more values",
                  where, points, trials));
}

/// A later one would take the place of an earlier.
void check_axes_differ(const std::vector<PointStart>& starts, const std::string& where) {
  for (const auto& start : starts) {
    std::set<std::string> keys;
    for (const auto& axis : start.axes) {
      if (keys.insert(axis.key).second) continue;
      throw UsageError(
          fmt::format("{}: case '{}' sets '{}', which is an axis of all cases; give it in each "
                      "case alone",
                      where, start.point.case_name, axis.key));
    }
  }
}

std::vector<StudyPoint> draw_trials(const std::vector<PointStart>& starts,
                                    const SearchSettings& settings, const std::string& where) {
  const auto trials = static_cast<std::size_t>(settings.trials);
  const auto there = count_of(starts);
  if (there && *there < settings.trials) {
    refuse_too_few(fmt::format("{}", format_count(*there, "point")), settings.trials, where);
  }
  constexpr std::uint64_t kMostDraws = 1000;  // of a trial, which is likely to be a new one
  std::vector<StudyPoint> points;
  std::set<std::string> seen;
  for (std::uint64_t draw = 1; points.size() < trials; ++draw) {
    if (draw > kMostDraws * trials) {
      refuse_too_few(fmt::format("hardly more than {}", format_count(std::ssize(points), "point")),
                     settings.trials, where);
    }
    StudyPoint point = draw_point(starts, settings.seed, draw, where);
    if (!seen.insert(identity_of(point)).second) continue;
    point.name = fmt::format("trial={}", points.size() + 1);
    points.push_back(std::move(point));
  }
  return points;
}

std::int64_t power(std::int64_t base, int exponent, std::int64_t most) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent && result <= most; ++i) result *= base;
  return result;
}

/// Of all trials alike, for rungs have parts of them. Nothing where they are not given.
std::optional<std::int64_t> epochs_of(const StudyPlan& study) {
  std::set<std::string> values;
  for (const auto& point : study.points) {
    const auto entry = point.flags.find(flag::kEpochs);
    values.insert(entry == point.flags.end() ? "" : entry->second.value);
  }
  return values.size() == 1 ? parse_number<std::int64_t>(*values.begin(), 1) : std::nullopt;
}

}  // namespace

SearchPlan read_search(const std::filesystem::path& path, const StudyRequest& request,
                       const CheckFlags& check) {
  const StudyFile file = read_study_file(path, request.short_form);
  const std::string where = path.string();
  if (!file.search) {
    throw UsageError(
        fmt::format("{} has no [search]; write it, with trials = {}, or run all "
                    "combinations by yoke study {}",
                    where, SearchSettings().trials, where));
  }
  SearchPlan search{.study = plan_without_points(file, request), .settings = *file.search};
  const auto starts = starts_of(file, request, where);
  check_axes_differ(starts, where);
  search.study.points = draw_trials(starts, search.settings, where);
  try {
    rungs_of(search);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  }
  check_points(search.study, request, where, check);
  return search;
}

std::vector<RungSize> rungs_of(const SearchPlan& search) {
  const SearchSettings& settings = search.settings;
  if (settings.rungs == 1) return {{.trials = search.study.points.size(), .epochs = {}}};
  const auto epochs = epochs_of(search.study);
  if (!epochs) {
    throw UsageError(
        "a search with rungs needs epochs, the same for all trials: those of the last rung, in "
        "[flags]");
  }
  const std::int64_t trials = std::ssize(search.study.points);
  const std::int64_t least =
      power(settings.reduction_factor, settings.rungs - 1, std::max(trials, *epochs));
  if (trials < least || *epochs < least) {
    throw UsageError(fmt::format(
        "{} rungs, each of {} times fewer trials and more epochs, of {} and {}: the last would "
        "have no trial, or the first no epoch; give fewer rungs, or at least {} trials and epochs",
        settings.rungs, settings.reduction_factor, format_count(trials, "trial"),
        format_count(*epochs, "epoch"), least));
  }
  std::vector<RungSize> rungs;
  for (int i = 0; i < settings.rungs; ++i) {
    const auto before = power(settings.reduction_factor, i, trials);
    const auto after = power(settings.reduction_factor, settings.rungs - 1 - i, *epochs);
    rungs.push_back(
        {.trials = static_cast<std::size_t>(trials / before), .epochs = *epochs / after});
  }
  return rungs;
}

}  // namespace yoke::study
