// yoke/launch/agent/log_tail.h: shows what a rank writes into its log.
#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "yoke/core/files/descriptor.h"
#include "yoke/launch/agent/console.h"

namespace yoke::launch {

/// Follows a growing file and hands on its lines whole, each with a prefix.
class LogTail {
 public:
  /// Lines that begin with `yoke: ` (what every rank says of the same wrong command line) are shown
  /// once for all tails that share `said`.
  LogTail(const std::filesystem::path& path, std::string prefix, Console& console,
          std::set<std::string>& said);

  /// Shows the lines that were added; pauses while the console is full.
  void follow();
  /// Shows everything to the end, also a last line without an end.
  void finish();

 private:
  bool read_piece();
  void show(std::string line);

  Descriptor file_;
  std::string prefix_;
  Console& console_;
  std::set<std::string>& said_;
  std::string partial_;
};

/// The last `count` lines of a file, without empty ones; nothing where there is no file.
std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t count);

}  // namespace yoke::launch
