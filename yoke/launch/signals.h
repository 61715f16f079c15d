// yoke/launch/signals.h: signals as something to wait for, in place of handlers.
#pragma once
#include <functional>

#include "yoke/core/files/descriptor.h"
#include "yoke/launch/event_loop.h"

namespace yoke::launch {

/// Passes SIGTERM, SIGINT, SIGHUP and SIGUSR1 to a function. To be made before any thread starts,
/// so that all threads leave them to it. Those that the caller's parent ignored stay ignored.
class Signals {
 public:
  Signals(EventLoop& loop, std::function<void(int)> receive);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  EventLoop& loop_;
  Descriptor descriptor_;
};

}  // namespace yoke::launch
