// yoke/report/progress/console_log.h: console.log, what a run has told, whether someone read along
// or not.
#pragma once
#include <filesystem>
#include <sstream>
#include <string_view>

#include "yoke/core/files/appended_file.h"
#include "yoke/report/progress/progress_lines.h"

namespace yoke {

/// Appends the lines of `--progress lines` to a file as they come.
class ConsoleLog {
 public:
  /// @throws Error when the file cannot be opened.
  explicit ConsoleLog(const std::filesystem::path& path) : file_(path) {}

  /// Has `tell` tell the lines. @throws Error when the file cannot be written; they then come with
  /// the next ones.
  template <typename Tell>
  void add(const Tell& tell) {
    tell(lines_);
    file_.add(text_.str());
    text_.str("");
    file_.flush();
  }

 private:
  AppendedFile file_;
  std::ostringstream text_;
  ProgressLines lines_{text_};
};

}  // namespace yoke
