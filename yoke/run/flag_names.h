// yoke/run/flag_names.h: the flags of `yoke train` and `yoke run` that others than they give or ask
// for; those of training are also the keys of config.toml.
#pragma once
#include <string>

namespace yoke {

namespace flag {
inline constexpr const char* kBatchSize = "batch-size";
inline constexpr const char* kBatchSizePerRank = "batch-size-per-rank";
inline constexpr const char* kClassWeights = "class-weights";
inline constexpr const char* kComm = "comm";
inline constexpr const char* kCommTimeout = "comm-timeout";
inline constexpr const char* kConvolution = "convolution";
inline constexpr const char* kCudaGraph = "cuda-graph";
inline constexpr const char* kDataDir = "data-dir";
inline constexpr const char* kDevice = "device";
inline constexpr const char* kEngine = "engine";
inline constexpr const char* kEpochs = "epochs";
inline constexpr const char* kImageSize = "image-size";
inline constexpr const char* kJoinTimeout = "join-timeout";
inline constexpr const char* kKeep = "keep";
inline constexpr const char* kLoaderThreads = "loader-threads";
inline constexpr const char* kMicroBatch = "micro-batch";
inline constexpr const char* kOut = "out";
inline constexpr const char* kPrintEvery = "print-every";
inline constexpr const char* kProgress = "progress";
inline constexpr const char* kRecipe = "recipe";
inline constexpr const char* kReplicas = "replicas";
inline constexpr const char* kResources = "resources";
inline constexpr const char* kResume = "resume";
inline constexpr const char* kSampleWeights = "sample-weights";
inline constexpr const char* kSeed = "seed";
inline constexpr const char* kStrategy = "strategy";
inline constexpr const char* kTensorboard = "tensorboard";
inline constexpr const char* kThreads = "threads";
}  // namespace flag

/// Of `yoke run`.
namespace launch_flag {
inline constexpr const char* kAgent = "agent";
inline constexpr const char* kHosts = "hosts";
inline constexpr const char* kLocalAddr = "local-addr";
inline constexpr const char* kLogDir = "log-dir";
inline constexpr const char* kNodeRank = "node-rank";
inline constexpr const char* kNodes = "nnodes";
inline constexpr const char* kProcesses = "nproc-per-node";
inline constexpr const char* kRendezvousConf = "rdzv-conf";
inline constexpr const char* kRendezvousEndpoint = "rdzv-endpoint";
inline constexpr const char* kRendezvousId = "rdzv-id";
inline constexpr const char* kRendezvousKey = "rdzv-key";
inline constexpr const char* kSshIdentityFile = "ssh-identity-file";
inline constexpr const char* kSshPort = "ssh-port";
}  // namespace launch_flag

/// `resume` as it is given: `--resume`.
inline std::string as_flag(const char* name) { return std::string("--") + name; }

}  // namespace yoke
