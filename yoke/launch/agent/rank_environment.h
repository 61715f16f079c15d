// yoke/launch/agent/rank_environment.h: the variables that tell a rank who it is, by torchrun's
// names.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/launch/config.h"
#include "yoke/launch/rendezvous/message.h"

namespace yoke::launch {

/// What all ranks of a host share.
struct RankSetting {
  Environment base;   ///< Of the agent.
  std::string run;    ///< TORCHELASTIC_RUN_ID.
  std::string role;   ///< Only the prefix of console lines.
  int processes = 1;  ///< On this host.
  int max_restarts = 0;
  std::string agent_id = {};      ///< For the agent's reaper.
  std::string network_interface;  ///< For gloo and NCCL; empty leaves them to choose.
  int omp_threads = 0;            ///< OMP_NUM_THREADS where the base has none; 0 sets none.
};

/// The environment of the rank `local_rank` in the attempt `start`.
Environment rank_environment(const RankSetting& setting, const Start& start, int local_rank,
                             const std::filesystem::path& error_file);

}  // namespace yoke::launch
