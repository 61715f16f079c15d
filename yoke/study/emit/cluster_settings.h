// yoke/study/emit/cluster_settings.h: what a study file says of schedulers; see docs/study.md.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace yoke::study {

/// What differs between sites that have Slurm.
struct SlurmSettings {
  std::vector<std::string> options = {};  ///< Of sbatch, in every script: `--partition=cpu`.
  std::vector<std::string> setup = {};    ///< Lines of bash before each run: `module load gcc`.
  std::optional<int> at_once = {};        ///< Runs of an array at a time; nothing: any number.
};

/// What differs between clusters of Kubernetes.
struct KubernetesSettings {
  std::string image = {};            ///< Has `yoke` in its PATH.
  std::string claim = {};            ///< Persistent volume claim with the data and the study.
  std::filesystem::path mount = {};  ///< Where it is, here and in pods; empty: the working folder.
  std::map<std::string, std::string> resources = {};  ///< Of a pod: cpu, memory.
  int at_once = 1;                                    ///< Runs at a time.
};

}  // namespace yoke::study
