#include "yoke/core/sizes_by_epoch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view why,
                         const SizeRange& range) {
  const bool bounded = range.most != std::numeric_limits<std::int64_t>::max();
  throw UsageError(fmt::format(
      "{} is '{}'; {}; allowed: a size from 1 {}, or sizes and the epochs from which on they hold, "
      "the first 0, as {}",
      flag, text, why, bounded ? fmt::format("to {}", range.most) : "on", range.example));
}

}  // namespace

SizesByEpoch::SizesByEpoch(std::int64_t size) : stages_{{.epoch = 0, .size = size}} {}

SizesByEpoch SizesByEpoch::parse(std::string_view text, std::string_view flag,
                                 const SizeRange& range) {
  if (const auto alone = parse_number<std::int64_t>(text, 1, range.most)) return *alone;
  SizesByEpoch sizes;
  for (const auto part : split(text, ',')) {
    const auto colon = std::min(part.find(':'), part.size());
    const auto epoch = parse_number<std::int64_t>(part.substr(0, colon), 0);
    const auto size =
        parse_number<std::int64_t>(part.substr(std::min(colon + 1, part.size())), 1, range.most);
    if (!epoch || !size) {
      refuse(flag, text, fmt::format("'{}' is no epoch and size", part), range);
    }
    if (sizes.stages_.empty() && *epoch != 0) {
      refuse(flag, text, "it does not begin at epoch 0", range);
    }
    if (!sizes.stages_.empty() && *epoch <= sizes.stages_.back().epoch) {
      refuse(flag, text, fmt::format("epoch {} is not after the one before", *epoch), range);
    }
    sizes.stages_.push_back({.epoch = *epoch, .size = *size});
  }
  return sizes;
}

std::string SizesByEpoch::str() const {
  if (stages_.size() == 1) return fmt::format("{}", stages_.front().size);
  std::string text;
  for (const Stage& stage : stages_) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", stage.epoch, stage.size);
  }
  return text;
}

std::int64_t SizesByEpoch::at(std::int64_t epoch) const {
  const auto next =
      std::upper_bound(stages_.begin(), stages_.end(), epoch,
                       [](std::int64_t value, const Stage& stage) { return value < stage.epoch; });
  return std::prev(next)->size;
}

std::vector<std::int64_t> SizesByEpoch::all() const {
  std::set<std::int64_t> sizes;
  for (const Stage& stage : stages_) sizes.insert(stage.size);
  return {sizes.begin(), sizes.end()};
}

SizesByEpoch SizesByEpoch::map(const std::function<std::int64_t(std::int64_t)>& change) const {
  SizesByEpoch changed = *this;
  for (Stage& stage : changed.stages_) stage.size = change(stage.size);
  return changed;
}

SizesByEpoch SizesByEpoch::from(std::int64_t epoch) const {
  SizesByEpoch later(at(epoch));
  for (const Stage& stage : stages_) {
    if (stage.epoch > epoch) {
      later.stages_.push_back({.epoch = stage.epoch - epoch, .size = stage.size});
    }
  }
  return later;
}

}  // namespace yoke
