#include "yoke/core/system/socket_filter.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>

#include "yoke/core/files/descriptor.h"
#include "yoke/core/system/network.h"

namespace yoke {
namespace {

sockaddr_in at(const std::string& address, int port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &result.sin_addr);
  return result;
}

/// A server at all addresses of this host.
class Server {
 public:
  Server() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any = at("0.0.0.0", 0);
    socklen_t size = sizeof any;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
    port_ = ntohs(any.sin_port);
  }

  int get() const { return socket_.get(); }

  /// Whether a client gets through to `address` in half a second, what the kernel decides at once.
  bool answers_at(const std::string& address) const {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_in target = at(address, port_);
    const int at_once =
        ::connect(client.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target);
    if (at_once != 0 && errno != EINPROGRESS) return false;
    pollfd ready{.fd = client.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 500) != 1) return false;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(client.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    return error == 0;
  }

 private:
  Descriptor socket_;
  int port_ = 0;
};

/// An IPv4 address of this host that others may reach, if it has one.
std::optional<std::string> outward() {
  for (const auto& interface : network_interfaces()) {
    const bool four = interface.address.find(':') == std::string::npos;
    if (four && !is_loopback_address(interface.address)) return interface.address;
  }
  return std::nullopt;
}

TEST(SocketFilter, LeavesASocketAsItIsForANameOrAnothersAddress) {
  const Server server;
  accept_only_at(server.get(), "no-such-host");
  accept_only_at(server.get(), "203.0.113.7");
  EXPECT_TRUE(server.answers_at("127.0.0.1"));
}

TEST(SocketFilter, LetsInWhoComesByALoopbackAddress) {
  const Server server;
  accept_only_at(server.get(), "127.0.0.1");
  EXPECT_TRUE(server.answers_at("127.0.0.1"));
  EXPECT_TRUE(server.answers_at("127.0.0.9"));
}

TEST(SocketFilter, KeepsOutWhoComesByAnotherAddress) {
  const auto other = outward();
  if (!other) GTEST_SKIP() << "this host has no address but loopback ones";
  const Server open, local, outer;
  EXPECT_TRUE(open.answers_at(*other));
  accept_only_at(local.get(), "localhost");
  EXPECT_TRUE(local.answers_at("127.0.0.1"));
  EXPECT_FALSE(local.answers_at(*other));
  accept_only_at(outer.get(), *other);
  EXPECT_TRUE(outer.answers_at(*other));
  EXPECT_FALSE(outer.answers_at("127.0.0.1"));
}

}  // namespace
}  // namespace yoke
