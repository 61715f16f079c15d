// yoke/core/system/exit_status.h: what the exit status of the program says.
#pragma once
#include <exception>

namespace yoke {

/// It did not succeed, and another try might.
inline constexpr int kFailed = 1;

/// Used wrongly: another try with the same words would fail, too.
inline constexpr int kWrongUsage = 2;

/// This machine lacks what was asked for (EX_UNAVAILABLE): the same words may do on another.
inline constexpr int kUnavailable = 69;

/// Stopped with its state kept (EX_TEMPFAIL): the same command, of training with --resume, goes on.
/// Never where a checkpoint was wanted and could not be written: that is kFailed.
inline constexpr int kStopped = 75;

/// What the program ends with after `error`.
int exit_status_of(const std::exception& error);

/// Whether another try with the same words, here, would end the same.
constexpr bool is_final(int status) { return status == kWrongUsage || status == kUnavailable; }

}  // namespace yoke
