#include "yoke/launch/agent/line_pipe.h"

#include <fcntl.h>

#include <array>
#include <utility>

#include "yoke/core/error.h"

namespace yoke::launch {

LinePipe::LinePipe(EventLoop& loop, std::function<void(const std::string&)> line)
    : loop_(loop), line_(std::move(line)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  reading_ = Descriptor(ends[0]);
  writing_ = Descriptor(ends[1]);
  ::fcntl(reading_.get(), F_SETFL, O_NONBLOCK);
}

LinePipe::~LinePipe() { loop_.forget(reading_.get()); }

void LinePipe::start() {
  writing_.reset();
  pause(false);
}

void LinePipe::pause(bool paused) {
  if (watched_ != paused) return;
  watched_ = !paused;
  if (paused) {
    loop_.forget(reading_.get());
  } else {
    loop_.watch(reading_.get(), [this] {
      if (!read_piece()) loop_.forget(reading_.get());
    });
  }
}

void LinePipe::finish() {
  while (read_piece()) {
  }
  if (!partial_.empty()) line_(std::exchange(partial_, {}));
}

bool LinePipe::read_piece() {
  std::array<char, 1 << 16> piece;
  const auto size = ::read(reading_.get(), piece.data(), piece.size());
  if (size <= 0) return false;
  partial_.append(piece.data(), static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', begin)) {
    line_(partial_.substr(begin, end - begin));
    begin = end + 1;
  }
  partial_.erase(0, begin);
  return true;
}

}  // namespace yoke::launch
