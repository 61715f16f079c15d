#include "apps/yoke/download_display.h"

#include <fmt/format.h>

#include <cstdio>

#include "yoke/core/format.h"

namespace yoke {
namespace {

constexpr int kBarWidth = 24;
constexpr double kSecondsBetweenBars = 0.1;
constexpr double kSecondsBetweenLines = 5;

}  // namespace

DownloadDisplay::~DownloadDisplay() { clear(); }

DownloadObserver DownloadDisplay::observer() {
  return {.message = [this](std::string_view line) { message(line); },
          .progress = [this](std::string_view name, std::int64_t done,
                             std::int64_t total) { progress(name, done, total); }};
}

void DownloadDisplay::message(std::string_view line) {
  clear();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void DownloadDisplay::progress(std::string_view name, std::int64_t done_bytes,
                               std::int64_t total_bytes) {
  if (name != name_ || done_bytes < last_bytes_) {  // another file, or begun anew
    name_ = name;
    first_bytes_ = done_bytes;
    since_first_.lap();
    since_drawn_.lap();
  }
  last_bytes_ = done_bytes;
  if (since_drawn_.seconds() < (terminal_ ? kSecondsBetweenBars : kSecondsBetweenLines)) return;
  draw(done_bytes, total_bytes);
  since_drawn_.lap();
}

void DownloadDisplay::draw(std::int64_t done_bytes, std::int64_t total_bytes) {
  const double rate = static_cast<double>(done_bytes - first_bytes_) / since_first_.seconds();
  const double fraction =
      total_bytes > 0 ? static_cast<double>(done_bytes) / static_cast<double>(total_bytes) : 0;
  std::string text = name_;
  if (terminal_) text += fmt::format(" {}▏", format_bar(fraction, kBarWidth));
  if (total_bytes > 0) {
    text += fmt::format(" {:3.0f} % of {}", 100 * fraction, format_bytes(total_bytes));
  } else {
    text += fmt::format(" {}", format_bytes(done_bytes));
  }
  text += fmt::format("  {}/s", format_bytes(static_cast<std::int64_t>(rate)));
  if (total_bytes > 0) {
    const double left = static_cast<double>(total_bytes - done_bytes) / rate;
    text += fmt::format("  {} left", format_duration(left));
  }
  if (terminal_) {
    fmt::print("\r\033[K{}", text);
    open_ = true;
  } else {
    fmt::print("{}\n", text);
  }
  std::fflush(stdout);
}

void DownloadDisplay::clear() {
  if (!open_) return;
  fmt::print("\r\033[K");
  std::fflush(stdout);
  open_ = false;
}

}  // namespace yoke
