// yoke/launch/network.h: hosts and ports as the launcher takes them.
#pragma once
#include <string>
#include <vector>

#include "yoke/core/system/network.h"
#include "yoke/launch/config.h"

namespace yoke::launch {

/// Of the rendezvous where none is given: torchrun's.
inline constexpr int kRendezvousPort = 29400;

/// Whether `host` (a name or an address) is this host. False where it cannot be resolved.
bool is_this_host(const std::string& host);

/// Whether `host` is written as one that means something else on each host (localhost, 127.*, ::1).
/// Names are not resolved: on many hosts their own name is 127.0.1.1 to themselves.
bool is_loopback(const std::string& host);

/// The addresses of `host` that are this host's, without those that only this host can reach.
std::vector<std::string> own_addresses(const std::string& host);

/// A TCP port that nobody uses, below those that the kernel gives to outgoing connections, so that
/// none of these takes it before it is used.
int free_port();

/// Whether a server could use `port` now.
bool port_is_free(int port);

/// Reads `host:port`, `[::1]:port` or, given a port above 0 to fall back on, `host`.
/// @throws UsageError.
Endpoint parse_endpoint(const std::string& given, int default_port);

/// `tcp://host:port`, with brackets around IPv6; the port is * where it is 0.
std::string tcp(const Endpoint& endpoint);

}  // namespace yoke::launch
