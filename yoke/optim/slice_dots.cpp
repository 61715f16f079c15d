#include "yoke/optim/slice_dots.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "yoke/core/vectorise.h"
#include "yoke/optim/ranges.h"

namespace yoke {
namespace {

// Sums side by side, which the compiler may not make of a single one: additions keep their order.
constexpr std::int64_t kLanes = 16;

YOKE_VECTORISE double dot(const float* __restrict a, const float* __restrict b, std::int64_t size) {
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  for (; i < size; ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

/// Of each slice what lies in the `size` elements from `begin` on, to which `a` and `b` point.
std::vector<double> range_dots(const std::vector<ParameterSlice>& slices, const float* a,
                               const float* b, std::int64_t begin, std::int64_t size) {
  std::vector<double> dots;
  dots.reserve(slices.size());
  for (const auto& slice : slices) {
    const std::int64_t first = std::clamp<std::int64_t>(slice.offset - begin, 0, size);
    const std::int64_t last =
        std::clamp<std::int64_t>(slice.offset + slice.elements - begin, 0, size);
    dots.push_back(dot(a + first, b + first, last - first));
  }
  return dots;
}

}  // namespace

torch::Tensor slice_dots(const std::vector<ParameterSlice>& slices, const torch::Tensor& a,
                         const torch::Tensor& b) {
  if (!a.is_cpu()) return slice_dots_plain(slices, a, b);
  std::mutex mutex;
  std::map<std::int64_t, std::vector<double>> ranges;  // by where they begin: added in that order
  for_each_range({a, b}, [&](float* const* at, std::int64_t size) {
    const std::int64_t begin = at[0] - a.data_ptr<float>();
    auto dots = range_dots(slices, at[0], at[1], begin, size);
    const std::lock_guard lock(mutex);
    ranges.emplace(begin, std::move(dots));
  });
  const auto count = static_cast<std::int64_t>(slices.size());
  auto dots = torch::zeros({count}, torch::kFloat64);
  auto sums = dots.accessor<double, 1>();
  for (const auto& [begin, range] : ranges) {
    for (std::int64_t i = 0; i < count; ++i) sums[i] += range[static_cast<std::size_t>(i)];
  }
  return dots;
}

torch::Tensor slice_dots_plain(const std::vector<ParameterSlice>& slices, const torch::Tensor& a,
                               const torch::Tensor& b) {
  const auto count = static_cast<std::int64_t>(slices.size());
  auto dots = torch::zeros({count}, a.options().dtype(torch::kFloat64));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& slice = slices[static_cast<std::size_t>(i)];
    if (slice.elements == 0) continue;
    const auto cut = [&](const torch::Tensor& vector) {
      return vector.narrow(0, slice.offset, slice.elements);
    };
    dots[i] = cut(a).dot(cut(b));
  }
  return dots;
}

}  // namespace yoke
