#include "yoke/comm/rendezvous/rendezvous.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

#ifdef YOKE_WITH_MPI
#include <algorithm>
#include <array>

#include "yoke/comm/communicators/mpi_session.h"
#include "yoke/comm/rendezvous/address.h"
#include "yoke/comm/rendezvous/identity.h"
#endif

namespace yoke {

#ifdef YOKE_WITH_MPI

namespace {

constexpr int kTextBytes = 256;
using Text = std::array<char, kTextBytes>;

Text to_text(const std::string& value) {
  Text text{};
  std::copy_n(value.begin(), std::min(value.size(), text.size() - 1), text.begin());
  return text;
}

/// Whether all ranks reach each other by a loopback address.
bool one_network(int size) {
  const Text own = to_text(network_id());
  std::vector<Text> all(static_cast<std::size_t>(size));
  mpi::check(MPI_Allgather(own.data(), kTextBytes, MPI_CHAR, all.data(), kTextBytes, MPI_CHAR,
                           MPI_COMM_WORLD),
             "MPI_Allgather");
  return std::all_of(all.begin(), all.end(), [&](const Text& other) { return other == own; });
}

}  // namespace

std::shared_ptr<Store> agreed_store(const World& world, StoreAddress& address,
                                    std::chrono::milliseconds timeout) {
  mpi::Session::get().check_started(world.rank, world.size);
  const bool near = one_network(world.size);
  std::shared_ptr<Store> store;
  Text host{};
  if (world.rank == 0) {
    address.host = near ? "127.0.0.1" : outward_address(world.interface);
    store = open_store(address, true, timeout);
    host = to_text(address.host);
  }
  mpi::check(MPI_Bcast(host.data(), kTextBytes, MPI_CHAR, 0, MPI_COMM_WORLD), "MPI_Bcast");
  mpi::check(MPI_Bcast(&address.port, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  address.host = host.data();
  return store ? store : open_store(address, false, timeout);
}

#else

std::shared_ptr<Store> agreed_store(const World& world, StoreAddress&, std::chrono::milliseconds) {
  throw UsageError(
      fmt::format("there are {} ranks, started by {}, and no address to meet at: set MASTER_ADDR "
                  "to the address of the host of rank 0 and MASTER_PORT to a free port there "
                  "(mpirun -x MASTER_ADDR=... -x MASTER_PORT=...), or build with "
                  "-DYOKE_WITH_MPI=ON",
                  world.size, world.launcher.empty() ? "nobody known" : world.launcher));
}

#endif

}  // namespace yoke
