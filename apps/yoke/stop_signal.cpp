#include "apps/yoke/stop_signal.h"

#include <csignal>

namespace yoke {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so that a handler may write it

void request_stop(int) { requested = true; }

}  // namespace

const std::atomic<bool>& stop_requested() { return requested; }

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  action.sa_flags |= static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace yoke
