// apps/yoke/stop_signal.h: signals that ask a run to save and stop.
#pragma once
#include <atomic>

namespace yoke {

/// Catches SIGTERM, SIGINT and SIGUSR1 from now on: the result becomes true. A second signal ends
/// the program at once.
const std::atomic<bool>& catch_stop_signals();

}  // namespace yoke
