#include "yoke/launch/agent/rank_environment.h"

#include "yoke/core/system/launch_variables.h"
#include "yoke/launch/agent/reaper.h"

namespace yoke::launch {

Environment rank_environment(const RankSetting& setting, const Start& start, int local_rank,
                             const std::filesystem::path& error_file) {
  const std::string rank = std::to_string(start.first_rank + local_rank);
  const std::string world = std::to_string(start.world_size);
  Environment variables = {
      {variable::kRank, rank},
      {variable::kWorldSize, world},
      {variable::kLocalRank, std::to_string(local_rank)},
      {variable::kLocalWorldSize, std::to_string(setting.processes)},
      {variable::kGroupRank, std::to_string(start.group_rank)},
      {variable::kRoleRank, rank},  // all ranks have one role
      {variable::kRoleWorldSize, world},
      {variable::kMasterAddr, start.master_addr},
      {variable::kMasterPort, std::to_string(start.master_port)},
      {variable::kRestartCount, std::to_string(start.restarts)},
      {variable::kMaxRestarts, std::to_string(setting.max_restarts)},
      {variable::kRunId, setting.run},
      {variable::kUseAgentStore, "False"},  // rank 0 hosts the store, as in torch's env://
      {variable::kErrorFile, error_file.string()},
  };
  if (start.resume) variables[variable::kRestarted] = "1";
  if (!setting.agent_id.empty()) variables[kReaperVariable] = setting.agent_id;
  if (!setting.network_interface.empty()) {
    variables[variable::kGlooInterface] = setting.network_interface;
    variables[variable::kNcclInterface] = setting.network_interface;
  }
  if (setting.omp_threads > 0 && !setting.base.contains(variable::kOmpThreads)) {
    variables[variable::kOmpThreads] = std::to_string(setting.omp_threads);
  }
  variables.insert(setting.base.begin(), setting.base.end());  // keeps what is there
  return variables;
}

}  // namespace yoke::launch
