// yoke/core/system/socket_filter.h: at which address a socket listens, for sockets that others
// made.
#pragma once
#include <string>

namespace yoke {

/// From now on connections come to `socket`, which listens at all addresses of this host, only by
/// `address`, one of them, or by any loopback address where it is one; the kernel drops all others.
/// Nothing happens where `address` is a name, or not of this host, as behind what hands packets on.
void accept_only_at(int socket, const std::string& address);

}  // namespace yoke
