#include "yoke/launch/agent/streams.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke::launch {
namespace {

int number_of(std::string_view part, int most, std::string_view text) {
  const auto number = parse_number<int>(part, 0, most);
  if (!number) {
    throw UsageError(fmt::format(
        "'{}' is given; allowed: 0 (none), 1 (stdout), 2 (stderr), 3 (both), or one of these per "
        "local rank, as in 0:3,1:2",
        text));
  }
  return *number;
}

}  // namespace

bool StreamChoice::has(int local_rank, Stream stream) const {
  const auto own = by_rank.find(local_rank);
  return ((own != by_rank.end() ? own->second : all) & static_cast<int>(stream)) != 0;
}

StreamChoice parse_streams(std::string_view text) {
  constexpr int kBoth = 3, kMostRanks = 1 << 20;
  StreamChoice choice;
  if (text.find(':') == std::string_view::npos) {
    choice.all = number_of(text, kBoth, text);
    return choice;
  }
  for (const auto pair : split(text, ',')) {
    const auto colon = std::min(pair.find(':'), pair.size());
    const int rank = number_of(pair.substr(0, colon), kMostRanks, text);
    choice.by_rank[rank] = number_of(pair.substr(std::min(colon + 1, pair.size())), kBoth, text);
  }
  return choice;
}

}  // namespace yoke::launch
