#include "yoke/launch/agent/console.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yoke::launch {
namespace {

constexpr std::size_t kFullBytes = 1 << 20;
constexpr std::size_t kPieceBytes = 4096;  // PIPE_BUF: poll(2) promises that much room in a pipe

bool writable(int fd, int timeout) {
  pollfd item{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&item, 1, timeout) > 0;
}

}  // namespace

Console::~Console() { loop_.forget_writable(fd_); }

void Console::write(std::string_view text) {
  if (broken_ || text.empty()) return;
  waiting_ += text;
  while (!waiting_.empty() && writable(fd_, 0)) write_some();
  if (waiting_.empty()) return;
  loop_.watch_writable(fd_, [this] {
    write_some();
    if (waiting_.empty()) loop_.forget_writable(fd_);
  });
}

bool Console::full() const { return waiting_.size() > kFullBytes; }

void Console::flush() {
  while (!waiting_.empty()) {
    if (writable(fd_, -1)) write_some();
  }
}

void Console::write_some() {
  const auto written = ::write(fd_, waiting_.data(), std::min(waiting_.size(), kPieceBytes));
  if (written >= 0) {
    waiting_.erase(0, static_cast<std::size_t>(written));
  } else if (errno != EINTR && errno != EAGAIN) {
    broken_ = true;
    waiting_.clear();
  }
}

}  // namespace yoke::launch
