// yoke/core/system/launch_variables.h: the environment variables by which a launcher tells a rank
// where it stands: torchrun's, one of Yoke's own, and those of libraries that it sets.
#pragma once

namespace yoke::variable {

inline constexpr const char* kRank = "RANK";
inline constexpr const char* kWorldSize = "WORLD_SIZE";
inline constexpr const char* kLocalRank = "LOCAL_RANK";
inline constexpr const char* kLocalWorldSize = "LOCAL_WORLD_SIZE";
inline constexpr const char* kGroupRank = "GROUP_RANK";
inline constexpr const char* kRoleRank = "ROLE_RANK";
inline constexpr const char* kRoleWorldSize = "ROLE_WORLD_SIZE";
inline constexpr const char* kMasterAddr = "MASTER_ADDR";
inline constexpr const char* kMasterPort = "MASTER_PORT";
inline constexpr const char* kErrorFile = "TORCHELASTIC_ERROR_FILE";
inline constexpr const char* kMaxRestarts = "TORCHELASTIC_MAX_RESTARTS";
inline constexpr const char* kRestartCount = "TORCHELASTIC_RESTART_COUNT";
inline constexpr const char* kRunId = "TORCHELASTIC_RUN_ID";
/// `True` where the launcher serves the store, else rank 0 does.
inline constexpr const char* kUseAgentStore = "TORCHELASTIC_USE_AGENT_STORE";
/// Set where the ranks go on with a training, also as hosts came and went.
inline constexpr const char* kRestarted = "YOKE_RESTARTED";
inline constexpr const char* kGlooInterface = "GLOO_SOCKET_IFNAME";
inline constexpr const char* kNcclInterface = "NCCL_SOCKET_IFNAME";
inline constexpr const char* kOmpThreads = "OMP_NUM_THREADS";

}  // namespace yoke::variable
