#include "yoke/core/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace yoke {

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (std::abs(static_cast<double>(bytes)) < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  // 999.95 would be printed as 1000.0.
  while (std::abs(value) >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_duration(double seconds) {
  constexpr double kMost = 1000.0 * 24 * 3600;
  if (!std::isfinite(seconds) || std::abs(seconds) > kMost) return "-:--";
  const auto total = std::llround(std::abs(seconds));
  const char* const sign = seconds < 0 && total > 0 ? "-" : "";
  const auto hours = total / 3600, minutes = total / 60 % 60;
  if (hours == 0) return fmt::format("{}{}:{:02}", sign, minutes, total % 60);
  return fmt::format("{}{}:{:02}:{:02}", sign, hours, minutes, total % 60);
}

std::string format_clock(double seconds) {
  const auto tenths = std::llround(seconds * 10);
  return fmt::format("{}:{:02}:{:02}.{}", tenths / 36000, tenths / 600 % 60, tenths / 10 % 60,
                     tenths % 10);
}

std::string format_duration(std::chrono::duration<double> duration) {
  return format_duration(duration.count());
}

std::string format_count(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string list_few(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kFew); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kFew) text += fmt::format(" and {} more", names.size() - kFew);
  return text;
}

std::string format_bar(double fraction, int width) {
  constexpr std::array kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double filled = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const int eighths = static_cast<int>(std::lround(filled * width * 8));
  std::string text;
  for (int column = 0; column < eighths / 8; ++column) text += "█";
  text += kParts[static_cast<std::size_t>(eighths % 8)];
  const int drawn = (eighths + 7) / 8;
  return text + std::string(static_cast<std::size_t>(width - drawn), ' ');
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace yoke
