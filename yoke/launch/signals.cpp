#include "yoke/launch/signals.h"

#include <sys/signalfd.h>

#include <csignal>
#include <utility>

#include "yoke/core/error.h"

namespace yoke::launch {

Signals::Signals(EventLoop& loop, std::function<void(int)> receive) : loop_(loop) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went away is no reason to leave ranks alone
  descriptor_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (descriptor_.get() < 0) throw Error("cannot watch signals");
  loop_.watch(descriptor_.get(), [this, receive = std::move(receive)] {
    signalfd_siginfo info{};
    while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) {
      receive(static_cast<int>(info.ssi_signo));
    }
  });
}

Signals::~Signals() { loop_.forget(descriptor_.get()); }

}  // namespace yoke::launch
