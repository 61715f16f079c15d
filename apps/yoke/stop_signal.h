// apps/yoke/stop_signal.h: signals that ask a run to save and stop.
#pragma once
#include <atomic>

namespace yoke {

/// Whether a signal has come that catch_stop_signals() catches.
const std::atomic<bool>& stop_requested();

/// Catches SIGTERM, SIGINT and SIGUSR1 from now on. A second SIGINT ends the program at once; the
/// others come twice from some schedulers, as from Slurm's scancel: to the rank, and through srun.
void catch_stop_signals();

}  // namespace yoke
