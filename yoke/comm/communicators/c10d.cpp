#include "yoke/comm/communicators/c10d.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <torch/version.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/GlooDeviceFactory.hpp>
#endif

#include "yoke/core/parse_number.h"
#include "yoke/core/system/batch_scheduling.h"
#include "yoke/core/system/socket_filter.h"

namespace yoke {
namespace {

using NameOf = int (*)(int, sockaddr*, socklen_t*);

bool has_port(int socket, int port, NameOf name_of) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (name_of(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  if (address.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port) == port;
  }
  return address.ss_family == AF_INET6 &&
         ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port) == port;
}

/// Calls `visit` with each descriptor of this process.
template <typename Visit>
void for_each_descriptor(const Visit& visit) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    if (const auto file = parse_number<int>(entry.path().filename().native(), 0)) visit(*file);
  }
}

/// From `timeout` on, ends connections to `port`: since LibTorch 2 a client waits without end for a
/// word of whoever listens there.
class ConnectionLimit {
 public:
  ConnectionLimit(int port, std::chrono::milliseconds timeout)
      : thread_([port, timeout](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any wakes;
          std::unique_lock lock(mutex);
          const auto never = [] { return false; };
          wakes.wait_for(lock, stop, timeout, never);
          while (!stop.stop_requested()) {  // the client may try again
            for_each_descriptor([port](int file) {
              if (has_port(file, port, &::getpeername)) ::shutdown(file, SHUT_RDWR);
            });
            wakes.wait_for(lock, stop, std::chrono::milliseconds(100), never);
          }
        }) {}

 private:
  std::jthread thread_;
};

// TCPStore sends a request in several pieces, and its sockets wait for the acknowledgement of each
// before the next: 40 ms a request. Accepted sockets take the setting from the listening one. A
// client's would wait for ever for a server that is none.
// A server's listens at all addresses of this host, also where ranks know but one.
void prepare_sockets(const std::string& host, int port, std::chrono::milliseconds timeout) {
  const int on = 1;
  const timeval limit{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
  for_each_descriptor([&](int file) {
    const bool client = has_port(file, port, &::getpeername);
    if (client) ::setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const bool server = !client && has_port(file, port, &::getsockname);
    if (server) accept_only_at(file, host);
    if (client || server) ::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  });
}

// The end of another rank is for this one to tell, not to share.
void ignore_sigpipe() {
  struct sigaction present {};
  ::sigaction(SIGPIPE, nullptr, &present);
  if (present.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

C10dStore tcp_store(const std::string& host, int& port, bool serve,
                    std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = serve;
  options.waitWorkers = false;
  options.timeout = timeout;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  options.useLibUV = false;  // Debian's LibTorch is built without
#endif
  std::optional<ConnectionLimit> limit;
  if (!serve) limit.emplace(port, timeout);
  auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
  limit.reset();
  port = store->getPort();
  prepare_sockets(host, port, timeout);
  store->check({"greeting"});  // whoever listens there must answer
  return store;
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_group(const C10dStore& store, int rank, int size,
                                                      const std::string& address,
                                                      std::chrono::milliseconds timeout) {
  ignore_sigpipe();
  // Gloo's listener tries again and again for a lock that a sender holds. Having taken that one's
  // core, it would do so for the rest of its turn: milliseconds, for a message of microseconds.
  const BatchScheduling others_first;
  const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices = {c10d::ProcessGroupGloo::createDeviceForHostname(address)};
  options->threads = 2;  // one for the operation, one to spare: Yoke runs one at a time
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

}  // namespace yoke
