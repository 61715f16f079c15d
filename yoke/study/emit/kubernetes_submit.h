// yoke/study/emit/kubernetes_submit.h: the script that runs the jobs of a study in a cluster.
#pragma once
#include <string>
#include <vector>

namespace yoke::study {

/// Bash that applies `<job>.json` of each of `jobs`, `at_once` going on at a time, then that of
/// `report`. Started again, it goes on; jobs that have failed begin once more.
std::string kubernetes_submit_script(const std::vector<std::string>& jobs,
                                     const std::string& report, int at_once);

}  // namespace yoke::study
