// yoke/study/outcome.h: what a study came to: study.csv, summary.json, summary.md.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/study/groups.h"
#include "yoke/study/jobs.h"

namespace yoke::study {

/// The completed runs that count, as points to compare; nothing where there is none.
std::optional<Comparison> completed_points(const std::vector<Job>& jobs);

/// A row for each run that counts, done, skipped or not begun; axes first, then what it came to.
std::string study_csv(const std::vector<Job>& jobs, const std::vector<Skipped>& skipped = {});

/// n, median, extremes, mean, its 95 % interval and the tests, for each number.
std::string summary_json(const std::string& title, const Comparison& comparison);
std::string summary_markdown(const std::string& title, const Comparison& comparison);

}  // namespace yoke::study
