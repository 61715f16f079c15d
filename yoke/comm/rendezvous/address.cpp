#include "yoke/comm/rendezvous/address.h"

#include "yoke/core/error.h"
#include "yoke/core/system/network.h"

namespace yoke {

std::string local_address(const std::string& interface, const std::string& host) {
  return interface.empty() ? address_towards(host) : interface_address(interface);
}

std::string outward_address(const std::string& interface) {
  if (!interface.empty()) return interface_address(interface);
  try {
    const std::string address = address_towards("192.0.2.1");  // for documents (RFC 5737)
    if (!is_loopback_address(address)) return address;
  } catch (const CommError&) {  // no default route
  }
  for (const auto& other : network_interfaces()) {
    if (!is_loopback_address(other.address)) return other.address;
  }
  throw CommError(
      "this host has only a loopback interface, and other ranks are on other hosts; connect it to "
      "their network");
}

std::string interface_of(const std::string& address) {
  for (const auto& interface : network_interfaces()) {
    if (interface.address == address) return interface.name;
  }
  return "";
}

}  // namespace yoke
