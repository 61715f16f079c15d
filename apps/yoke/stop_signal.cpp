#include "apps/yoke/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <thread>

namespace yoke {
namespace {

std::atomic<bool> caught{false}, requested{false};

sigset_t stop_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) ::sigaddset(&signals, signal);
  return signals;
}

/// Lets `signal` do what it does by itself.
void end_by(int signal, const sigset_t& signals) {
  ::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void wait_for_signals() {
  const sigset_t signals = stop_signals();
  for (int signal = 0; ::sigwait(&signals, &signal) == 0;) {
    if (!caught || (signal == SIGINT && requested)) end_by(signal, signals);
    requested = true;
  }
}

}  // namespace

void hold_stop_signals() {
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_for_signals).detach();
}

const std::atomic<bool>& stop_requested() { return requested; }

void catch_stop_signals() {
  // What is ignored, as SIGINT by a shell's background jobs, would not be waited for.
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) ::signal(signal, [](int) {});
  caught = true;
}

}  // namespace yoke
