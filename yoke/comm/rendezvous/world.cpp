#include "yoke/comm/rendezvous/world.h"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/launch_variables.h"

namespace yoke {
namespace {

constexpr int kDefaultPort = 29500;  // torchrun's

int to_int(const std::string& name, const std::string& text, int least) {
  const auto number = parse_number<int>(text, least);
  if (!number) {
    throw UsageError(
        fmt::format("the environment variable {} is '{}'; allowed: a whole number from "
                    "{} on; unset it, or let yoke run, torchrun, mpirun or srun set it",
                    name, text, least));
  }
  return *number;
}

/// Environment variables as numbers.
struct Numbers {
  const Lookup& lookup;

  int get(const std::string& name, int fallback, int least = 0) const {
    const auto text = lookup(name);
    return text ? to_int(name, *text, least) : fallback;
  }
  bool has(const std::string& name) const { return lookup(name).has_value(); }
};

void read_ranks(World& world, const Numbers& numbers, const char* rank, const char* size,
                const char* local_rank, const char* local_size) {
  world.rank = numbers.get(rank, 0);
  world.size = numbers.get(size, 1, 1);
  world.local_rank = numbers.get(local_rank, 0);
  world.local_size = numbers.get(local_size, 1, 1);
  if (world.rank >= world.size || world.local_rank >= world.local_size) {
    throw UsageError(
        fmt::format("the environment says {}={} of {}={} and {}={} of {}={}; a rank is below its "
                    "number of ranks",
                    rank, world.rank, size, world.size, local_rank, world.local_rank, local_size,
                    world.local_size));
  }
}

bool read_torchrun(World& world, const Numbers& numbers) {
  if (!numbers.has(variable::kRank) || !numbers.has(variable::kWorldSize)) return false;
  world.launcher = "torchrun";
  read_ranks(world, numbers, variable::kRank, variable::kWorldSize, variable::kLocalRank,
             variable::kLocalWorldSize);
  world.restarts = numbers.get(variable::kRestartCount, 0);
  world.restarted = world.restarts > 0 || numbers.has(variable::kRestarted);
  world.serves = world.rank == 0 && numbers.lookup(variable::kUseAgentStore) != "True";
  if (world.size > 1 && !numbers.has(variable::kMasterAddr)) {
    throw UsageError(fmt::format(
        "WORLD_SIZE is {}, but MASTER_ADDR is not set; set it to the address of the host of rank 0 "
        "(and MASTER_PORT to a free port there), or start with yoke run",
        world.size));
  }
  return true;
}

bool read_mpi(World& world, const Numbers& numbers) {
  if (numbers.has("OMPI_COMM_WORLD_RANK")) {
    read_ranks(world, numbers, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
  } else if (numbers.has("MV2_COMM_WORLD_RANK")) {
    read_ranks(world, numbers, "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
               "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE");
  } else if (numbers.has("PMI_RANK") && numbers.has("PMI_SIZE") && !numbers.has("SLURM_PROCID")) {
    read_ranks(world, numbers, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  } else {
    return false;
  }
  world.launcher = "mpirun";
  world.serves = world.rank == 0;
  return true;
}

/// Tasks of this node: `SLURM_TASKS_PER_NODE` is `4(x2),3`.
int slurm_local_size(const Numbers& numbers, int node) {
  const auto text = numbers.lookup("SLURM_TASKS_PER_NODE");
  if (!text) return numbers.get("SLURM_NTASKS_PER_NODE", 1, 1);
  for (std::size_t at = 0; at < text->size();) {
    const std::string part = text->substr(at, text->find(',', at) - at);
    const auto paren = part.find("(x");
    const int tasks = to_int("SLURM_TASKS_PER_NODE", part.substr(0, paren), 1);
    const int nodes =
        paren == std::string::npos
            ? 1
            : to_int("SLURM_TASKS_PER_NODE", part.substr(paren + 2, part.size() - paren - 3), 1);
    if (node < nodes) return tasks;
    node -= nodes;
    at += part.size() + 1;
  }
  return 1;
}

/// Of the step, which may have some of the job's nodes.
std::string slurm_nodes(const Numbers& numbers) {
  for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (const auto nodes = numbers.lookup(name)) return *nodes;
  }
  return "";
}

/// Another one for each of the latest jobs and of their steps, which may run side by side.
int slurm_port(const Numbers& numbers) {
  constexpr int kFirstPort = 15000, kPorts = 10000;
  constexpr int kStride = 2503;  // no divisor of kPorts: far from the next jobs' first steps
  const auto last_digits = [&](const char* name) {
    constexpr std::size_t kDigits = 4;
    const std::string text = numbers.lookup(name).value_or("0");
    return to_int(name, text.substr(text.size() - std::min(kDigits, text.size())), 0);
  };
  if (!numbers.has("SLURM_JOB_ID")) return 12910;
  return kFirstPort +
         (last_digits("SLURM_JOB_ID") + last_digits("SLURM_STEP_ID") * kStride) % kPorts;
}

bool read_slurm(World& world, const Numbers& numbers) {
  const auto name = numbers.lookup("SLURM_JOB_NAME").value_or("");
  if (!numbers.has("SLURM_PROCID") || !numbers.has("SLURM_NTASKS") || name == "bash" ||
      name == "interactive") {
    return false;
  }
  world.launcher = "slurm";
  world.rank = numbers.get("SLURM_PROCID", 0);
  world.size = numbers.get("SLURM_NTASKS", 1, 1);
  world.local_rank = numbers.get("SLURM_LOCALID", 0);
  world.local_size =
      std::max(world.local_rank + 1, slurm_local_size(numbers, numbers.get("SLURM_NODEID", 0)));
  world.restarts = numbers.get("SLURM_RESTART_COUNT", 0);
  world.restarted = world.restarts > 0;
  world.serves = world.rank == 0;
  world.store.host = first_slurm_host(slurm_nodes(numbers));
  world.store.port = slurm_port(numbers);
  return true;
}

}  // namespace

std::string first_slurm_host(const std::string& list) {
  std::string host;
  for (std::size_t at = 0; at < list.size() && list[at] != ',' && list[at] != ' '; ++at) {
    if (list[at] != '[') {
      host += list[at];
      continue;
    }
    const auto first = std::min(list.find_first_of("-,]", at), list.size());
    host += list.substr(at + 1, first - at - 1);
    at = std::min(list.find(']', first), list.size());
  }
  return host;
}

World world_from(const Lookup& lookup) {
  World world;
  const Numbers numbers{lookup};
  if (!read_torchrun(world, numbers) && !read_mpi(world, numbers)) read_slurm(world, numbers);
  if (world.size == 1) {
    World alone;
    alone.restarts = world.restarts;
    alone.restarted = world.restarted;
    alone.launcher = world.launcher;
    return alone;
  }
  if (const auto host = lookup(variable::kMasterAddr)) {
    world.store.host = *host;
    if (world.store.port == 0) world.store.port = kDefaultPort;
  }
  world.store.port = numbers.get(variable::kMasterPort, world.store.port, 1);
  world.interface = lookup(variable::kGlooInterface).value_or("");
  return world;
}

World world_from_environment() {
  return world_from([](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  });
}

}  // namespace yoke
