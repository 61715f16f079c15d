// yoke/study/run_files.h: readers of the files of a run that lines are appended to.
#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

#include "yoke/study/run.h"

namespace yoke::study {

/// What a file holds, and how many lines were no such thing. A last line without its end is still
/// being written and left out without being counted.
template <typename Line>
struct Lines {
  std::vector<Line> lines;
  std::size_t damaged = 0;
};

/// metrics.jsonl. @throws Error when it cannot be read; so do the others.
Lines<Metrics> read_metrics(const std::filesystem::path& path);

/// resources.csv.
Lines<ResourceSample> read_resources(const std::filesystem::path& path);

/// phases.csv; the last phase ends at `end_seconds` unless the file says when.
Lines<Phase> read_phases(const std::filesystem::path& path, double end_seconds);

}  // namespace yoke::study
