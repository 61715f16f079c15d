// apps/yoke/download_display.h: shows downloads to a person.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "yoke/core/system/clock.h"
#include "yoke/data/download/download.h"

namespace yoke {

/// Writes to standard output: a bar with size, rate and time left on a terminal, else a line now
/// and then.
class DownloadDisplay {
 public:
  explicit DownloadDisplay(bool terminal) : terminal_(terminal) {}
  ~DownloadDisplay();
  DownloadDisplay(const DownloadDisplay&) = delete;
  DownloadDisplay& operator=(const DownloadDisplay&) = delete;

  /// Calls this object, which must outlive it.
  DownloadObserver observer();

 private:
  void message(std::string_view line);
  void progress(std::string_view name, std::int64_t done_bytes, std::int64_t total_bytes);
  void draw(std::int64_t done_bytes, std::int64_t total_bytes);
  void clear();

  bool terminal_;
  bool open_ = false;  // the cursor stands behind a bar
  std::string name_;   // of the file that arrives
  std::int64_t first_bytes_ = 0, last_bytes_ = 0;
  Stopwatch since_first_, since_drawn_;
};

}  // namespace yoke
