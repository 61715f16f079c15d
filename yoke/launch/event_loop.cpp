#include "yoke/launch/event_loop.h"

#include <cerrno>
#include <utility>
#include <vector>

namespace yoke::launch {

void EventLoop::watch(int fd, Callback callback) { readers_[fd] = std::move(callback); }
void EventLoop::watch(zmq::socket_t& socket, Callback callback) {
  sockets_[socket.handle()] = std::move(callback);
}
void EventLoop::watch_writable(int fd, Callback callback) { writers_[fd] = std::move(callback); }
void EventLoop::forget(int fd) { readers_.erase(fd); }
void EventLoop::forget(zmq::socket_t& socket) { sockets_.erase(socket.handle()); }
void EventLoop::forget_writable(int fd) { writers_.erase(fd); }

void EventLoop::step(std::chrono::milliseconds timeout) {
  std::vector<zmq::pollitem_t> items;
  for (const auto& [handle, callback] : sockets_) items.push_back({handle, -1, ZMQ_POLLIN, 0});
  for (const auto& [fd, callback] : readers_) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  for (const auto& [fd, callback] : writers_) items.push_back({nullptr, fd, ZMQ_POLLOUT, 0});
  try {
    zmq::poll(items, timeout);
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return;
    throw;
  }
  // What an earlier callback forgot is not called: each is looked up again, and copied so that it
  // may forget itself.
  const auto call = [](const auto& callbacks, const auto& key) {
    const auto found = callbacks.find(key);
    if (found == callbacks.end()) return;
    const Callback callback = found->second;
    callback();
  };
  for (const auto& item : items) {
    if (item.revents == 0) continue;
    if (item.socket != nullptr) {
      call(sockets_, item.socket);
    } else if (item.events == ZMQ_POLLOUT) {
      call(writers_, item.fd);
    } else {
      call(readers_, item.fd);
    }
  }
}

}  // namespace yoke::launch
