// yoke/core/format.h: sizes, times and bars as people read them.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// Bytes with a decimal unit: `999 B`, `1.0 kB`, `11.5 MB`.
std::string format_bytes(std::int64_t bytes);

/// Time to the nearest second: `0:07`, `1:05`, `2:03:10`; `-:--` when it is not finite or more than
/// 1000 days, as an estimate can be.
std::string format_duration(double seconds);
std::string format_duration(std::chrono::duration<double> duration);

/// A number of things: `1 rank`, `3 ranks`; `thing` is in the singular.
std::string format_count(std::int64_t count, std::string_view thing);

/// The first few of `names`, and how many there are besides: `'a', 'b', 'c', 'd', 'e' and 2 more`.
std::string list_few(const std::vector<std::string>& names);

/// A bar of `width` columns, of which `fraction` (cut to [0, 1]) is filled in eighths of a column.
std::string format_bar(double fraction, int width);

/// A field of a line of comma-separated values: quoted where it must be (RFC 4180).
std::string csv_field(const std::string& text);

/// Time with hours and tenths of a second, as training logs give it: `1:30:40.3`.
std::string format_clock(double seconds);

}  // namespace yoke
