// yoke/study/emit/kubernetes_submit.h: the script that runs the jobs of a study in a cluster.
#pragma once
#include <string>
#include <vector>

namespace yoke::study {

/// What kubernetes_submit_script() runs.
struct KubernetesJobs {
  std::vector<std::string> jobs;  ///< Each of a file `<job>.json`.
  std::string report;             ///< The last one.
  int at_once = 1;                ///< How many of `jobs` go on at a time.
  std::string study;              ///< The label of all.
  std::string secret;             ///< Made where it is not there; empty: none is needed.
};

/// Bash that applies the files of jobs, then that of the report. Started again, it goes on; jobs
/// that have failed begin once more.
std::string kubernetes_submit_script(const KubernetesJobs& jobs);

}  // namespace yoke::study
