// yoke/comm/rendezvous/address.h: which of a host's network addresses others reach it by.
#pragma once
#include <string>

namespace yoke {

/// The address of `interface`; with an empty one, the address that this host uses towards
/// `host`. @throws UsageError that lists the interfaces there are, CommError where `host` has no
/// address.
std::string local_address(const std::string& interface, const std::string& host);

/// An address of this host that others can reach: that of `interface`; with an empty one, of the
/// interface that leads out. @throws UsageError as above; CommError where there is only loopback.
std::string outward_address(const std::string& interface);

/// The interface that has `address`: `eth0`; empty where none has.
std::string interface_of(const std::string& address);

}  // namespace yoke
