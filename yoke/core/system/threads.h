// yoke/core/system/threads.h: which cores this process may use, and how its thread pools are sized.
#pragma once
#include <string>
#include <vector>

namespace yoke {

/// The processor time this process may use.
struct CpuBudget {
  int host_cores = 1;      ///< Cores the host has online.
  std::vector<int> cores;  ///< Cores in the affinity mask, ascending.
  double quota = 0;        ///< Cores' worth of time the control group grants; 0 means no limit.

  /// Threads for each of `ranks` processes that share this budget; at least 1.
  int threads(int ranks) const;
  /// `2 of 8 cores (affinity 0,1; quota 1.5)`.
  std::string str() const;
};

/// Reads the affinity mask and the quotas of control groups, versions 1 and 2.
CpuBudget cpu_budget();

/// Keeps this thread, and those it starts from now on, on `cores`.
/// @throws Error when the system refuses.
void pin_to(const std::vector<int>& cores);

/// How a BLAS library uses cores.
enum class BlasThreads { kUnknown, kNone, kOwn, kOpenMp };

/// What OpenBLAS says of itself, where it is loaded.
BlasThreads openblas_threads();

/// Sizes LibTorch's and OpenBLAS's thread pools: `threads` in all, never one pool beside another.
void set_threads(int threads);

}  // namespace yoke
