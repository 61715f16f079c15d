#include "yoke/launch/agent/streams.h"

#include <fmt/format.h>

#include <charconv>

#include "yoke/core/error.h"

namespace yoke::launch {
namespace {

int parse_number(std::string_view part, int most, std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || value < 0 || value > most) {
    throw UsageError(fmt::format(
        "'{}' is given; allowed: 0 (none), 1 (stdout), 2 (stderr), 3 (both), or one of these per "
        "local rank, as in 0:3,1:2",
        text));
  }
  return value;
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
    choice.all = parse_number(text, kBoth, text);
    return choice;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto pair = text.substr(begin, end - begin);
    const auto colon = std::min(pair.find(':'), pair.size());
    const int rank = parse_number(pair.substr(0, colon), kMostRanks, text);
    choice.by_rank[rank] = parse_number(pair.substr(std::min(colon + 1, pair.size())), kBoth, text);
    begin = end + 1;
  }
  return choice;
}

}  // namespace yoke::launch
