#include "yoke/launch/agent/rank_environment.h"

#include "yoke/launch/agent/reaper.h"

namespace yoke::launch {

Environment rank_environment(const RankSetting& setting, const Start& start, int local_rank,
                             const std::filesystem::path& error_file) {
  const std::string rank = std::to_string(start.first_rank + local_rank);
  const std::string world = std::to_string(start.world_size);
  Environment variables = {
      {"RANK", rank},
      {"WORLD_SIZE", world},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(setting.processes)},
      {"GROUP_RANK", std::to_string(start.group_rank)},
      {"ROLE_RANK", rank},  // all ranks have one role
      {"ROLE_WORLD_SIZE", world},
      {"MASTER_ADDR", start.master_addr},
      {"MASTER_PORT", std::to_string(start.master_port)},
      {"TORCHELASTIC_RESTART_COUNT", std::to_string(start.restarts)},
      {"TORCHELASTIC_MAX_RESTARTS", std::to_string(setting.max_restarts)},
      {"TORCHELASTIC_RUN_ID", setting.run},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},  // rank 0 hosts the store, as in torch's env://
      {"TORCHELASTIC_ERROR_FILE", error_file.string()},
  };
  if (start.resume) variables["YOKE_RESTARTED"] = "1";
  if (!setting.agent_id.empty()) variables[kReaperVariable] = setting.agent_id;
  if (!setting.network_interface.empty()) {
    variables["GLOO_SOCKET_IFNAME"] = setting.network_interface;
    variables["NCCL_SOCKET_IFNAME"] = setting.network_interface;
  }
  if (setting.omp_threads > 0 && !setting.base.contains("OMP_NUM_THREADS")) {
    variables["OMP_NUM_THREADS"] = std::to_string(setting.omp_threads);
  }
  variables.insert(setting.base.begin(), setting.base.end());  // keeps what is there
  return variables;
}

}  // namespace yoke::launch
