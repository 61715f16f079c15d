#include "yoke/core/epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

/// first + count * each, kMost where that is more.
std::int64_t add_product(std::int64_t first, std::int64_t count, std::int64_t each) {
  return count > (kMost - first) / each ? kMost : first + count * each;
}

}  // namespace

Epochs::Epochs(SizesByEpoch steps) : steps_(std::move(steps)) {
  if (steps_.given() && steps_.all().front() >= 1) return;
  throw Error(fmt::format("epochs of '{}' steps; each has at least one", steps_.str()));
}

Epochs Epochs::of(std::int64_t images, const SizesByEpoch& batch_sizes) {
  return Epochs(batch_sizes.map(
      [images](std::int64_t size) { return images / size + (images % size != 0); }));
}

std::int64_t Epochs::first_step(std::int64_t epoch) const {
  std::int64_t step = 0;
  const auto& stages = steps_.stages();
  for (std::size_t i = 0; i < stages.size() && stages[i].epoch < epoch; ++i) {
    const std::int64_t end = i + 1 < stages.size() ? std::min(epoch, stages[i + 1].epoch) : epoch;
    step = add_product(step, end - stages[i].epoch, stages[i].size);
  }
  return step;
}

std::int64_t Epochs::at(std::int64_t step) const {
  const auto& stages = steps_.stages();
  std::int64_t begin = 0;
  for (std::size_t i = 0;; ++i) {
    const std::int64_t next = i + 1 < stages.size() ? first_step(stages[i + 1].epoch) : kMost;
    if (step < next || next == kMost) return stages[i].epoch + (step - begin) / stages[i].size;
    begin = next;
  }
}

double Epochs::passed(std::int64_t steps) const {
  const std::int64_t epoch = at(steps);
  return static_cast<double>(epoch) +
         static_cast<double>(steps - first_step(epoch)) / static_cast<double>(steps_.at(epoch));
}

std::int64_t Epochs::steps_until(double epochs) const {
  if (epochs >= static_cast<double>(kMost)) return kMost;
  const auto whole = static_cast<std::int64_t>(epochs);
  const double part = (epochs - static_cast<double>(whole)) * static_cast<double>(steps(whole));
  return add_product(first_step(whole), std::llround(part), 1);
}

Epochs Epochs::after(std::int64_t steps) const {
  const std::int64_t passed = at(steps) + (starts(steps) ? 0 : 1);
  return Epochs(steps_.from(passed));
}

}  // namespace yoke
