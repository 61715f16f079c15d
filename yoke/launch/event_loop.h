// yoke/launch/event_loop.h: waits for descriptors and ZeroMQ sockets, and calls who watches them.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <zmq.hpp>

namespace yoke::launch {

/// One thread, one wait. Callbacks may watch and forget, also themselves.
class EventLoop {
 public:
  using Callback = std::function<void()>;

  /// Calls `callback` while `fd` is readable, closed or broken.
  void watch(int fd, Callback callback);
  /// Calls `callback` while `socket` has a message.
  void watch(zmq::socket_t& socket, Callback callback);
  /// Calls `callback` while `fd` can be written to.
  void watch_writable(int fd, Callback callback);

  void forget(int fd);
  void forget(zmq::socket_t& socket);
  void forget_writable(int fd);

  /// Waits for at most `timeout`, then makes the calls that are due.
  void step(std::chrono::milliseconds timeout);

 private:
  std::map<int, Callback> readers_, writers_;
  std::map<void*, Callback> sockets_;
};

}  // namespace yoke::launch
