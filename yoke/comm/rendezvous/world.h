// yoke/comm/rendezvous/world.h: where a process stands among those that were started with it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "yoke/comm/rendezvous/store.h"

namespace yoke {

/// What a launcher tells a process. By itself it is the only one.
struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< Among those of its host.
  int local_size = 1;
  int restarts = 0;        ///< How often the launcher has started the group again after a failure.
  bool restarted = false;  ///< It has done so, or as hosts came and went.
  StoreAddress store;      ///< Where rank 0 serves the store; port 0 and no host: not told.
  bool serves = false;     ///< This process is to serve it.
  std::string interface;   ///< Network interface to use; empty: the one towards rank 0.
  std::string launcher;    ///< `torchrun` (yoke run too), `mpirun`, `slurm`; empty without one.
};

/// The value of an environment variable.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads the variables of torchrun (`RANK`, `WORLD_SIZE`, `MASTER_ADDR`, ...), of mpirun (Open MPI,
/// MPICH, MVAPICH) or of Slurm's srun, in this order.
/// @throws UsageError when they contradict each other.
World world_from(const Lookup& lookup);

/// The same from this process's environment.
World world_from_environment();

/// The first host of a list as Slurm writes it: `node[05-07,9],login` is `node05`, `a[1-2]b[3-4]`
/// is `a1b3`.
std::string first_slurm_host(const std::string& list);

}  // namespace yoke
