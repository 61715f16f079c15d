// yoke/launch/agent/streams.h: which output streams of which local ranks a flag means.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace yoke::launch {

/// An output stream of a rank; the values are torchrun's.
enum class Stream { kOut = 1, kErr = 2 };

/// The value of --redirects or --tee: 0 none, 1 stdout, 2 stderr, 3 both, for all local ranks or
/// by rank.
struct StreamChoice {
  int all = 0;
  std::map<int, int> by_rank;

  /// Whether `stream` of `local_rank` is chosen.
  bool has(int local_rank, Stream stream) const;
};

/// Reads `3` or `0:1,1:2`. @throws UsageError.
StreamChoice parse_streams(std::string_view text);

}  // namespace yoke::launch
