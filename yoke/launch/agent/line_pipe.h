// yoke/launch/agent/line_pipe.h: lines from another process's output.
#pragma once
#include <functional>
#include <string>

#include "yoke/core/files/descriptor.h"
#include "yoke/launch/event_loop.h"

namespace yoke::launch {

/// A pipe whose writing end a child gets; hands on whole lines.
class LinePipe {
 public:
  LinePipe(EventLoop& loop, std::function<void(const std::string& line)> line);
  ~LinePipe();
  LinePipe(const LinePipe&) = delete;
  LinePipe& operator=(const LinePipe&) = delete;

  int writing_end() const { return writing_.get(); }
  /// After the child has its copy of the writing end.
  void start();
  /// Stops or goes on reading.
  void pause(bool paused);
  /// Hands on all that is there, also a last line without an end.
  void finish();

 private:
  bool read_piece();

  EventLoop& loop_;
  std::function<void(const std::string&)> line_;
  Descriptor reading_, writing_;
  std::string partial_;
  bool watched_ = false;
};

}  // namespace yoke::launch
