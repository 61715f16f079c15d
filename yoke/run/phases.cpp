#include "yoke/run/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

constexpr std::string_view kHeader = "seconds,phase";

struct Begin {
  double seconds = 0;
  PhaseKind kind = PhaseKind::kLoading;
};

/// What a line says, if it is one of the file's.
std::optional<Begin> begin_of(std::string_view line) {
  const auto fields = split(line, ',');
  const auto seconds = parse_number<double>(fields[0]);
  if (!seconds || fields.size() != 2) return std::nullopt;
  try {
    return Begin{*seconds, parse_word<PhaseKind>("phase", fields[1])};
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// The header and the whole lines of `text` from before `end_seconds`.
std::string lines_before(const std::string& text, double end_seconds) {
  std::string kept = fmt::format("{}\n", kHeader);
  for (const auto line : whole_lines(text)) {
    const auto begin = begin_of(line);
    if (begin && begin->seconds < end_seconds) kept += fmt::format("{}\n", line);
  }
  return kept;
}

}  // namespace

void PhaseFile::begin(PhaseKind phase, double seconds) {
  if (!file_) {
    const bool resumed = std::filesystem::exists(path_);
    write_file(path_, lines_before(resumed ? read_file(path_) : "", seconds));
    file_.emplace(path_);
  }
  file_->add(fmt::format("{:.3f},{}\n", seconds, word_of(phase)));
  file_->flush();
}

Lines<Phase> read_phases(const std::filesystem::path& path, double end_seconds) {
  Lines<Phase> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    if (line == kHeader) continue;
    const auto begin = begin_of(line);
    if (!begin) {
      ++result.damaged;
      continue;
    }
    if (!result.lines.empty()) result.lines.back().end = begin->seconds;
    result.lines.push_back({.kind = begin->kind,
                            .begin = begin->seconds,
                            .end = std::max(begin->seconds, end_seconds)});
  }
  std::erase_if(result.lines, [](const Phase& phase) { return phase.kind == PhaseKind::kEnded; });
  return result;
}

}  // namespace yoke
