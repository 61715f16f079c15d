// yoke/comm/rendezvous/rendezvous.h: how ranks that were told no address agree on one.
#pragma once
#include "yoke/comm/rendezvous/store.h"
#include "yoke/comm/rendezvous/world.h"

namespace yoke {

/// The store of a world that was told no address: rank 0 serves it on a free port and tells the
/// others over MPI. Sets `address` to where it is.
/// @throws UsageError where MPI is not in this build or did not start this process; CommError.
std::shared_ptr<Store> agreed_store(const World& world, StoreAddress& address,
                                    std::chrono::milliseconds timeout);

}  // namespace yoke
