#include "yoke/launch/agent/log_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "yoke/core/error.h"

namespace yoke::launch {

LogTail::LogTail(const std::filesystem::path& path, std::string prefix, Console& console,
                 std::set<std::string>& said)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      prefix_(std::move(prefix)),
      console_(console),
      said_(said) {
  if (file_.get() < 0) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
}

void LogTail::follow() {
  while (!console_.full() && read_piece()) {
  }
}

void LogTail::finish() {
  while (read_piece()) {
    if (console_.full()) console_.flush();
  }
  if (!partial_.empty()) show(std::exchange(partial_, {}));
}

bool LogTail::read_piece() {
  std::array<char, 1 << 16> piece;
  const auto size = ::read(file_.get(), piece.data(), piece.size());
  if (size <= 0) return false;
  partial_.append(piece.data(), static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', begin)) {
    show(partial_.substr(begin, end - begin));
    begin = end + 1;
  }
  partial_.erase(0, begin);
  return true;
}

void LogTail::show(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  // Of a line that was drawn over itself only the last state is left, as on a terminal.
  if (const auto redrawn = line.rfind('\r'); redrawn != std::string::npos) {
    line.erase(0, redrawn + 1);
  }
  if (line.starts_with("yoke: ") && !said_.insert(line).second) return;
  console_.write(fmt::format("{}{}\n", prefix_, line));
}

std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t count) {
  constexpr std::streamoff kMostBytes = 1 << 14;
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg();
  if (size <= 0) return {};
  stream.seekg(std::max<std::streamoff>(0, size - kMostBytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line.substr(0, 400));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return lines;
}

}  // namespace yoke::launch
