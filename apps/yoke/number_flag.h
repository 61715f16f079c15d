// apps/yoke/number_flag.h: checks of numbers on the command line, whose messages say what is
// allowed.
#pragma once
#include <CLI/CLI.hpp>

namespace yoke {

/// A number from 0 on.
CLI::Validator from_zero();

/// A number above 0.
CLI::Validator above_zero();

}  // namespace yoke
