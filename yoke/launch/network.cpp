#include "yoke/launch/network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <random>
#include <set>

#include "yoke/core/error.h"
#include "yoke/launch/descriptor.h"

namespace yoke::launch {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Null where `host` is unknown; `reason` then says why.
AddressList resolve(const std::string& host, std::string* reason = nullptr) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  const int error = ::getaddrinfo(host.c_str(), "9", &hints, &list);
  if (error != 0 && reason != nullptr) *reason = ::gai_strerror(error);
  return {error == 0 ? list : nullptr, ::freeaddrinfo};
}

std::string text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const void* const bytes =
      address->sa_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  ::inet_ntop(address->sa_family, bytes, buffer.data(), buffer.size());
  return buffer.data();
}

bool is_internet(const sockaddr* address) {
  return address != nullptr && (address->sa_family == AF_INET || address->sa_family == AF_INET6);
}

struct InterfaceAddress {
  std::string name, address;
  bool ipv4;
};

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  std::vector<InterfaceAddress> found;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (!is_internet(each->ifa_addr)) continue;
    found.push_back({each->ifa_name, text(each->ifa_addr), each->ifa_addr->sa_family == AF_INET});
  }
  return found;
}

bool loopback_text(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

bool is_this_host(const std::string& host) {
  if (host == "localhost" || host == host_name()) return true;
  const auto list = resolve(host);
  const auto own = interface_addresses();
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const auto address = text(each->ai_addr);
    if (loopback_text(address)) return true;
    for (const auto& interface : own) {
      if (interface.address == address) return true;
    }
  }
  return false;
}

bool is_loopback(const std::string& host) { return host == "localhost" || loopback_text(host); }

std::string address_towards(const std::string& host) {
  std::string reason;
  const auto list = resolve(host, &reason);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    // Connecting a datagram socket sends nothing; it only chooses the route.
    if (::connect(socket.get(), each->ai_addr, each->ai_addrlen) != 0) {
      reason = std::strerror(errno);
      continue;
    }
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0) {
      return text(reinterpret_cast<const sockaddr*>(&own));
    }
  }
  throw Error(fmt::format("cannot find a way to host '{}': {}; check the name, or give its address",
                          host, reason));
}

std::string interface_address(const std::string& name) {
  std::set<std::string> names;
  std::string ipv6;
  for (const auto& each : interface_addresses()) {
    names.insert(each.name);
    if (each.name != name) continue;
    if (each.ipv4) return each.address;
    if (ipv6.empty() && !each.address.starts_with("fe80")) ipv6 = each.address;
  }
  if (!ipv6.empty()) return ipv6;
  throw UsageError(fmt::format("network interface '{}' has no address on host {}; allowed: {}",
                               name, host_name(), fmt::join(names, ", ")));
}

bool port_is_free(int port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int reuse = 1;  // a port in TIME_WAIT counts as free, as it does for servers
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         ::listen(socket.get(), 1) == 0;
}

int free_port() {
  constexpr int kFirst = 20000, kLast = 32000, kAttempts = 1000;
  std::random_device random;
  std::uniform_int_distribution<int> ports(kFirst, kLast);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int port = ports(random);
    if (port_is_free(port)) return port;
  }
  throw Error(fmt::format("no free TCP port between {} and {}; see: ss -ltn", kFirst, kLast));
}

Endpoint parse_endpoint(const std::string& given, int default_port) {
  constexpr int kMostPort = 65535;
  Endpoint endpoint{.host = given, .port = default_port};
  const auto colon = given.rfind(':');
  const bool one_colon = colon != std::string::npos && given.find(':') == colon;
  if (one_colon || given.find("]:") != std::string::npos) {
    const std::string port = given.substr(colon + 1);
    endpoint.host = given.substr(0, colon);
    endpoint.port = 0;
    std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  }
  if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']')) {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  }
  if (endpoint.host.empty() || endpoint.port < 1 || endpoint.port > kMostPort) {
    throw UsageError(
        fmt::format("'{}' is given; allowed: HOST:PORT with a port of 1 to {}, e.g. "
                    "node1:29400",
                    given, kMostPort));
  }
  return endpoint;
}

std::string tcp(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("tcp://[{}]:{}", endpoint.host, endpoint.port)
              : fmt::format("tcp://{}:{}", endpoint.host, endpoint.port);
}

}  // namespace yoke::launch
