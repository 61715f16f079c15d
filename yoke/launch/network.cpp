#include "yoke/launch/network.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/network.h"

namespace yoke::launch {

bool is_this_host(const std::string& host) {
  if (host == "localhost" || host == host_name()) return true;
  const auto addresses = addresses_of(host);
  return std::any_of(addresses.begin(), addresses.end(), is_loopback_address) ||
         !own_addresses(host).empty();
}

std::vector<std::string> own_addresses(const std::string& host) {
  std::vector<std::string> own;
  const auto interfaces = network_interfaces();
  for (const auto& address : addresses_of(host)) {
    if (is_loopback_address(address)) continue;
    const bool here = std::any_of(interfaces.begin(), interfaces.end(), [&](const auto& interface) {
      return interface.address == address;
    });
    if (here) own.push_back(address);
  }
  return own;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || is_loopback_address(host);
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
    endpoint.host = given.substr(0, colon);
    endpoint.port = parse_number<int>(std::string_view(given).substr(colon + 1)).value_or(0);
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
  const std::string port = endpoint.port > 0 ? fmt::format("{}", endpoint.port) : "*";
  return ipv6 ? fmt::format("tcp://[{}]:{}", endpoint.host, port)
              : fmt::format("tcp://{}:{}", endpoint.host, port);
}

}  // namespace yoke::launch
