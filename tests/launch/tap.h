// tests/launch/tap.h: what somebody sees who is on the wire between two programs.
#pragma once
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "tests/launch/sockets.h"

namespace yoke::test {

/// Hands one connection on to a port of this host, both ways, and keeps what passes.
class Tap {
 public:
  explicit Tap(int target_port)
      : listening_(listen_on_loopback()), target_(connect_to_loopback(target_port)) {}
  ~Tap() { stop_ = true; }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  int port() const { return port_of(listening_); }
  std::string heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  static bool comes(const Descriptor& socket) {
    pollfd waiting{.fd = socket.get(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, /*milliseconds=*/10) > 0;
  }

  void work() {
    while (!comes(listening_)) {
      if (stop_) return;
    }
    const Descriptor caller(::accept(listening_.get(), nullptr, nullptr));
    while (!stop_) {
      pass(caller, target_);
      pass(target_, caller);
    }
  }

  void pass(const Descriptor& from, const Descriptor& to) {
    std::array<char, 4096> bytes;
    if (!comes(from)) return;
    const auto count = ::recv(from.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) return;
    ::send(to.get(), bytes.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL);
    const std::lock_guard lock(mutex_);
    heard_.append(bytes.data(), static_cast<std::size_t>(count));
  }

  const Descriptor listening_, target_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::string heard_;
  std::jthread worker_{[this] { work(); }};  // ends before the others go
};

}  // namespace yoke::test
