#include "yoke/core/system/network.h"

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
#include <cstring>
#include <memory>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Null where `host` is unknown; `reason`, unless null, then says why.
AddressList resolve(const std::string& host, std::string* reason) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  const int error = ::getaddrinfo(host.c_str(), "9", &hints, &list);
  if (error != 0 && reason != nullptr) *reason = ::gai_strerror(error);
  return {error == 0 ? list : nullptr, ::freeaddrinfo};
}

std::string to_text(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const int error =
      ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "";
}

/// Empty where there is no route; errno then says why.
std::string towards(const addrinfo& target) {
  const int socket = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  std::string address;
  // Connecting a datagram socket only chooses the route.
  if (::connect(socket, target.ai_addr, target.ai_addrlen) == 0 &&
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0) {
    address = to_text(reinterpret_cast<const sockaddr*>(&own), size);
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return address;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::vector<NetworkInterface> network_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  std::vector<NetworkInterface> found;
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

std::string interface_address(const std::string& name) {
  std::vector<std::string> allowed;
  for (const auto& interface : network_interfaces()) {
    if (interface.name == name) return interface.address;
    allowed.push_back(fmt::format("{} ({})", interface.name, interface.address));
  }
  throw UsageError(fmt::format("network interface '{}' has no address on host {}; allowed: {}",
                               name, host_name(), fmt::join(allowed, ", ")));
}

bool is_loopback_address(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::vector<std::string> addresses_of(const std::string& host, std::string* reason) {
  const auto list = resolve(host, reason);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    addresses.push_back(to_text(entry->ai_addr, entry->ai_addrlen));
  }
  return addresses;
}

std::string address_towards(const std::string& host) {
  std::string reason;
  const auto list = resolve(host, &reason);
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    const std::string address = towards(*entry);
    if (!address.empty()) return address;
    reason = std::strerror(errno);
  }
  throw CommError(fmt::format(
      "cannot find a way to host '{}': {}; check the name, or give its address", host, reason));
}

}  // namespace yoke
