// yoke/core/system/network.h: this host's name and network addresses.
#pragma once
#include <string>
#include <vector>

namespace yoke {

/// This host's name.
std::string host_name();

/// An address of a network interface that is up.
struct NetworkInterface {
  std::string name;     ///< `eth0`.
  std::string address;  ///< `10.0.0.5`.
};

/// IPv4 before IPv6.
std::vector<NetworkInterface> network_interfaces();

/// The address of interface `name`. @throws UsageError that lists the interfaces there are.
std::string interface_address(const std::string& name);

/// Whether it is this host's alone: `127.0.0.1`, `::1`.
bool is_loopback_address(const std::string& address);

/// The addresses of `host`; empty where it has none, and `reason`, unless null, then says why.
std::vector<std::string> addresses_of(const std::string& host, std::string* reason = nullptr);

/// The address of this host from which packets to `host`, a name or an address, leave. Sends
/// nothing. @throws CommError when `host` is unknown or there is no way to it.
std::string address_towards(const std::string& host);

}  // namespace yoke
