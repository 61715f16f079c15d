#include "yoke/report/phases.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/file.h"

namespace yoke {
namespace {

/// The header and the whole lines of `text` from before `end_seconds`.
std::string lines_before(const std::string& text, double end_seconds) {
  std::istringstream lines(text);
  std::string kept = kPhasesHeader;
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    char* stop = nullptr;
    const double seconds = std::strtod(line.c_str(), &stop);
    if (stop != line.c_str() && *stop == ',' && seconds < end_seconds) kept += line + "\n";
  }
  return kept;
}

}  // namespace

void PhaseFile::begin(const std::string& phase, double seconds) {
  if (!stream_.is_open()) {
    const bool resumed = std::filesystem::exists(path_);
    write_file(path_, lines_before(resumed ? read_file(path_) : "", seconds));
    stream_.open(path_, std::ios::app);
  }
  stream_ << fmt::format("{:.3f},{}\n", seconds, phase) << std::flush;
  if (!stream_) throw Error(fmt::format("cannot write {}", path_.string()));
}

}  // namespace yoke
