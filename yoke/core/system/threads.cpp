#include "yoke/core/system/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "yoke/core/error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// Cores granted by `cpu.max` of version 2, `quota period`, or 0.
double quota_v2(const fs::path& group) {
  std::istringstream text(first_line(group / "cpu.max"));
  double quota = 0, period = 0;
  return text >> quota >> period && period > 0 ? quota / period : 0;  // "max" is no number
}

double quota_v1(const fs::path& group) {
  std::istringstream quota_text(first_line(group / "cpu.cfs_quota_us"));
  std::istringstream period_text(first_line(group / "cpu.cfs_period_us"));
  double quota = 0, period = 0;
  const bool read = quota_text >> quota && period_text >> period;
  return read && quota > 0 && period > 0 ? quota / period : 0;
}

/// The tightest quota of a group and its parents.
template <typename Quota>
double tightest(const fs::path& root, const std::string& group, Quota quota) {
  double least = 0;
  for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
    const double here = quota(root / path);
    if (here > 0 && (least == 0 || here < least)) least = here;
    if (path.empty()) return least;
  }
}

double cgroup_quota() {
  std::ifstream groups("/proc/self/cgroup");  // lines of `id:controllers:path`
  double quota = 0;
  for (std::string line; std::getline(groups, line) && quota == 0;) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) quota = tightest("/sys/fs/cgroup", group, quota_v2);
    if (controllers == "cpu" || controllers == "cpu,cpuacct") {
      quota = tightest("/sys/fs/cgroup/cpu", group, quota_v1);
    }
  }
  return quota;
}

template <typename Function>
Function* loaded_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

int CpuBudget::threads(int ranks) const {
  double share = static_cast<double>(cores.size());
  if (quota > 0) share = std::min(share, std::ceil(quota));
  return std::max(1, static_cast<int>(share) / std::max(1, ranks));
}

std::string CpuBudget::str() const {
  std::string text =
      fmt::format("{} of {} cores (affinity {}", threads(1), host_cores, fmt::join(cores, ","));
  if (quota > 0) text += fmt::format("; control group grants {:.2f}", quota);
  return text + ")";
}

CpuBudget cpu_budget() {
  CpuBudget budget;
  budget.host_cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &mask)) budget.cores.push_back(core);
    }
  }
  if (budget.cores.empty()) budget.cores.push_back(0);
  budget.host_cores = std::max(budget.host_cores, static_cast<int>(budget.cores.size()));
  budget.quota = cgroup_quota();
  return budget;
}

void pin_to(const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &mask);
  if (::sched_setaffinity(0, sizeof mask, &mask) == 0) return;
  throw Error(
      fmt::format("cannot run on cores {}: {}", fmt::join(cores, ","), std::strerror(errno)));
}

BlasThreads openblas_threads() {
  auto* const variant = loaded_function<int()>("openblas_get_parallel");
  constexpr std::array kVariants = {BlasThreads::kNone, BlasThreads::kOwn, BlasThreads::kOpenMp};
  const int found = variant == nullptr ? -1 : variant();
  const bool known = found >= 0 && static_cast<std::size_t>(found) < kVariants.size();
  return known ? kVariants[static_cast<std::size_t>(found)] : BlasThreads::kUnknown;
}

void set_threads(int threads) {
  at::set_num_threads(threads);
  auto* const set = loaded_function<void(int)>("openblas_set_num_threads");
  const BlasThreads how = openblas_threads();
  if (set == nullptr || how == BlasThreads::kUnknown) return;
  // With threads of its own it would fight with LibTorch's pool, which the OpenMP variant shares.
  set(how == BlasThreads::kOpenMp ? threads : 1);
}

}  // namespace yoke
