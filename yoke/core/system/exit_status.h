// yoke/core/system/exit_status.h: what the exit status of the program says.
#pragma once

namespace yoke {

/// It did not succeed, and another try might.
inline constexpr int kFailed = 1;

/// Used wrongly: another try with the same words would fail, too.
inline constexpr int kWrongUsage = 2;

/// Stopped with its state kept (EX_TEMPFAIL): the same command, of training with --resume, goes on.
/// Never where a checkpoint was wanted and could not be written: that is kFailed.
inline constexpr int kStopped = 75;

}  // namespace yoke
