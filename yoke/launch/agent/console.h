// yoke/launch/agent/console.h: whole lines from many ranks onto one output, which may be slow.
#pragma once
#include <string>
#include <string_view>

#include "yoke/launch/event_loop.h"

namespace yoke::launch {

/// Writes as fast as the output takes it and never waits for it: a paused terminal must not stop
/// the heartbeats.
class Console {
 public:
  Console(EventLoop& loop, int fd) : loop_(loop), fd_(fd) {}
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// Appends `text`, which should end with a line's end.
  void write(std::string_view text);
  /// Whether so much waits to be written that readers should pause.
  bool full() const;
  /// Writes all that waits; takes as long as the output takes.
  void flush();

 private:
  void write_some();

  EventLoop& loop_;
  int fd_;
  std::string waiting_;
  bool broken_ = false;  // nobody reads any more
};

/// Standard output and standard error of this process.
struct Consoles {
  Console& out;
  Console& err;
};

}  // namespace yoke::launch
