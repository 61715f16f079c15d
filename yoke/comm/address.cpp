#include "yoke/comm/address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "yoke/core/error.h"

namespace yoke {
namespace {

struct Interface {
  std::string name;
  std::string address;
};

std::string to_text(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const int error =
      ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "";
}

/// Those that are up; IPv4 before IPv6.
std::vector<Interface> interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<Interface> found;
  for (const int family : {AF_INET, AF_INET6}) {
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
      if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) continue;
      if ((entry->ifa_flags & IFF_UP) == 0) continue;
      found.push_back({entry->ifa_name, to_text(entry->ifa_addr, size)});
    }
  }
  return found;
}

/// Connects no one: a datagram socket only asks the routing table.
std::string towards(const addrinfo& target) {
  const int socket = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  std::string address;
  if (::connect(socket, target.ai_addr, target.ai_addrlen) == 0 &&
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0) {
    address = to_text(reinterpret_cast<const sockaddr*>(&own), size);
  }
  ::close(socket);
  return address;
}

std::string address_of(const std::string& interface) {
  std::vector<std::string> names;
  for (const auto& [name, address] : interfaces()) {
    if (name == interface) return address;
    names.push_back(fmt::format("{} ({})", name, address));
  }
  throw UsageError(fmt::format("network interface '{}' is not up on this host; there are: {}",
                               interface, fmt::join(names, ", ")));
}

}  // namespace

std::string local_address(const std::string& interface, const std::string& host, int port) {
  if (!interface.empty()) return address_of(interface);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) {
    throw CommError(fmt::format("cannot find the address of host '{}', which MASTER_ADDR names: {}",
                                host, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    const std::string address = towards(*entry);
    if (!address.empty()) return address;
  }
  throw CommError(fmt::format("no network interface of this host leads to {}", host));
}

std::string outward_address(const std::string& interface) {
  if (!interface.empty()) return address_of(interface);
  sockaddr_in outside{};  // an address for documents (RFC 5737), which only the default route has
  outside.sin_family = AF_INET;
  outside.sin_port = htons(9);
  outside.sin_addr.s_addr = htonl(0xc0000201);
  addrinfo target{};
  target.ai_family = AF_INET;
  target.ai_addr = reinterpret_cast<sockaddr*>(&outside);
  target.ai_addrlen = sizeof outside;
  const std::string address = towards(target);
  if (!address.empty() && !is_loopback(address)) return address;
  for (const auto& other : interfaces()) {
    if (!is_loopback(other.address)) return other.address;
  }
  throw CommError(
      "this host has only a loopback interface, and other ranks are on other hosts; "
      "connect it to their network");
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::string interface_of(const std::string& address) {
  for (const auto& interface : interfaces()) {
    if (interface.address == address) return interface.name;
  }
  return "";
}

}  // namespace yoke
