// apps/yoke/stop_signal.h: signals that ask a run to save and stop.
#pragma once
#include <atomic>

namespace yoke {

/// Keeps SIGTERM, SIGINT and SIGUSR1 from this thread, which must be the only one yet, and so from
/// all that it starts; until catch_stop_signals() they end the program as they would have. No
/// handler runs on a thread that computes: gemm of oneDNN 2.6 has its stack in a block of the heap,
/// which the frame of a handler would overflow.
void hold_stop_signals();

/// Whether a signal has come since catch_stop_signals().
const std::atomic<bool>& stop_requested();

/// From now on SIGTERM, SIGINT and SIGUSR1 only ask to stop, after hold_stop_signals(). A second
/// SIGINT ends the program at once; the others come twice from some schedulers, as from Slurm's
/// scancel: to the rank, and through srun.
void catch_stop_signals();

}  // namespace yoke
