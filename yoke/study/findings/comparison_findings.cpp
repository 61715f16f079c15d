// yoke/study/findings/comparison_findings.cpp: which point is fastest, which most accurate, and how
// surely.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/findings/point_tests.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

/// What tests of the best against each other point allow to say; nothing where one was run once.
std::string certainty(const std::vector<TestedPoint>& points) {
  std::vector<std::string> alike;
  std::size_t others = 0;
  for (const auto& point : points) {
    if (point.sample.n < 2) return "";
    others += point.holm_p.has_value();
    if (point.verdict == "cannot be told") alike.push_back(point.label);
  }
  if (others + 1 < points.size()) {
    return "Repetitions gave the same number each time, so nothing can be said of chance.";
  }
  if (others == 1) {
    return fmt::format("The difference is {}more than chance (Welch's t test, level {}).",
                       alike.empty() ? "" : "not ", kLevel);
  }
  const std::string test =
      fmt::format("Welch's t test, {} comparisons, level {} by Holm", others, kLevel);
  if (alike.empty()) {
    return fmt::format("The difference to every other point is more than chance ({}).", test);
  }
  if (alike.size() == others) {
    return fmt::format("No difference between it and another point is more than chance ({}).",
                       test);
  }
  return fmt::format("It cannot be told from: {}. Other differences are more than chance ({}).",
                     in_words(alike), test);
}

std::string in_loss(double loss) { return fmt::format("{:.4f}", loss); }

void add(const Comparison& comparison, const char* number, const char* best, const char* worst,
         std::string (*unit)(double), bool less_is_better, std::vector<std::string>& out) {
  auto points = test_points(comparison, number, less_is_better);
  std::erase_if(points, [](const TestedPoint& point) { return !point.whole(); });
  if (points.size() < 2) return;
  const auto &first = points.front(), &last = points.back();
  const std::string median = unit(first.sample.median);
  if (median == unit(last.sample.median)) {
    out.push_back(fmt::format("{}: none, for the median of every point is {}.", best, median));
    return;
  }
  out.push_back(fmt::format("{}: {}, {}. {}: {}, {}.", best, first.label,
                            spread(first.sample, unit), worst, last.label,
                            spread(last.sample, unit)));
  const std::string certain = certainty(points);
  if (!certain.empty()) out.push_back(certain);
}

/// Names points some of whose runs missed their target, for these are not compared.
void add_missed_targets(const Comparison& comparison, std::vector<std::string>& out) {
  std::vector<std::string> missed;
  for (const auto& group : comparison.groups) {
    int runs = 0, reached = 0;
    for (const auto& run : group.runs) {
      if (run.status != run_status::kCompleted || !run.number(key::kTargetAccuracy)) continue;
      ++runs;
      reached += run.number(key::kTimeToTargetSeconds).has_value();
    }
    if (reached == runs) continue;
    missed.push_back(fmt::format("{} (reached in {} of {} runs)", group.label, reached, runs));
  }
  if (!missed.empty()) {
    out.push_back(fmt::format("The target was missed by: {}.", in_words(missed)));
  }
}

}  // namespace

std::vector<std::string> comparison_findings(const Comparison& comparison) {
  std::vector<std::string> sentences;
  if (comparison.groups.size() < 2) return sentences;
  std::size_t runs = 0, unfinished = 0;
  for (const auto& group : comparison.groups) {
    for (const auto& run : group.runs) {
      ++runs;
      unfinished += run.status != run_status::kCompleted;
    }
  }
  sentences.push_back(fmt::format("{} runs of {} points.", runs, comparison.groups.size()));
  if (std::any_of(comparison.groups.begin(), comparison.groups.end(),
                  [](const Repetitions& group) { return group.runs.size() < 2; })) {
    sentences.emplace_back(
        "With a single run of a point, nothing can be said of whether its numbers would come "
        "again.");
  }
  if (unfinished > 0) {
    sentences.push_back(fmt::format(
        "{} of them did not complete and are left out; of a point without a completed run, numbers "
        "are of parts of runs, and it is not compared.",
        unfinished));
  }
  add(comparison, key::kTrainSeconds, "Fastest training", "Slowest", in_seconds, true, sentences);
  add(comparison, key::kValTop1, "Highest accuracy", "Lowest", in_percent, false, sentences);
  add(comparison, key::kTimeToTargetSeconds, "First at the target", "Last", in_seconds, true,
      sentences);
  add_missed_targets(comparison, sentences);
  add(comparison, key::kValLoss, "Lowest loss on validation images", "Highest", in_loss, true,
      sentences);
  return sentences;
}

}  // namespace yoke::study
