#include "yoke/study/search/rung.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/format.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"
#include "yoke/study/findings/statistics.h"

namespace yoke::study {

Rung::Rung(const SearchPlan& search, const RungSize& size, const std::vector<std::size_t>& trials,
           const std::filesystem::path& runs)
    : study_(search.study), trials_(trials) {
  study_.points.clear();
  for (const std::size_t trial : trials) {
    StudyPoint& point = study_.points.emplace_back(search.study.points[trial]);
    if (!size.epochs) continue;
    const std::string epochs = fmt::format("{}", *size.epochs);
    point.name += fmt::format(",{}={}", flag::kEpochs, epochs);
    point.flags[flag::kEpochs].value = epochs;
    point.axes[flag::kEpochs] = epochs;
  }
  if (size.epochs) length_ = format_count(*size.epochs, "epoch");
  jobs_ = jobs_of(study_, runs);
}

std::optional<double> Rung::score(std::size_t trial, const std::string& number) const {
  const auto place = std::find(trials_.begin(), trials_.end(), trial);
  if (place == trials_.end()) return std::nullopt;
  const StudyPoint* const point = &study_.points[static_cast<std::size_t>(place - trials_.begin())];
  std::vector<double> values;
  for (const auto& job : jobs_) {
    if (job.point != point || !job.counts || !is_done(job)) continue;
    const auto summary = read_summary(RunDirectory{job.directory}.summary());
    if (!summary) continue;
    const auto value = summary->numbers.find(number);
    if (value != summary->numbers.end() && std::isfinite(value->second)) {
      values.push_back(value->second);
    }
  }
  return values.empty() ? std::nullopt : std::optional(summarise(values).median);
}

}  // namespace yoke::study
