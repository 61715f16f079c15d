#include "yoke/report/metrics.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/file.h"

namespace yoke {
namespace {

/// The lines of `text` that are whole reports of steps up to `last_step`.
std::string reports_until(const std::string& text, std::int64_t last_step) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto report = nlohmann::json::parse(line, nullptr, false);  // a killed run tears a line
    if (report.is_object() && report.value("step", last_step + 1) <= last_step) kept += line + "\n";
  }
  return kept;
}

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path path, std::optional<std::int64_t> resume_step)
    : path_(std::move(path)) {
  if (resume_step && std::filesystem::exists(path_)) {
    write_file(path_, reports_until(read_file(path_), *resume_step));
  }
  stream_.open(path_, std::ios::app);
  if (!stream_) throw Error(fmt::format("cannot write {}", path_.string()));
}

void MetricsFile::write(const Metrics& metrics) {
  const nlohmann::ordered_json report = {
      {"step", metrics.step},
      {"epoch", metrics.epoch},
      {"seconds", metrics.seconds},
      {"split", metrics.split},
      {"loss", metrics.loss},
      {"top1", metrics.top1},
      {"top5", metrics.top5},
      {"lr", metrics.lr},
      {"images_per_second", metrics.images_per_second},
      {"data_wait_seconds", metrics.data_wait_seconds},
      {"compute_seconds", metrics.compute_seconds},
      {"communication_seconds", metrics.communication_seconds},
      {"communication_bytes", metrics.communication_bytes},
  };
  stream_.clear();
  stream_ << report.dump() << "\n" << std::flush;
  if (!stream_) throw Error(fmt::format("cannot write {}", path_.string()));
}

}  // namespace yoke
