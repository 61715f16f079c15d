#include "yoke/optim/optimizers/slice_dots.h"

#include <algorithm>
#include <numeric>

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

// Elements that one thread adds up. Pieces of a slice are added in their order, so that the sum
// does not depend on how threads share them.
constexpr std::int64_t kPiece = 16384;

std::int64_t pieces_of(const ParameterSlice& slice) {
  return (slice.elements + kPiece - 1) / kPiece;
}

/// Writes to `sums`, one a piece, the sums of those pieces of the slices that begin in [begin,
/// end).
void add_pieces(const std::vector<ParameterSlice>& slices, const float* a, const float* b,
                std::int64_t begin, std::int64_t end, double* sums) {
  for (const auto& slice : slices) {
    const std::int64_t pieces = pieces_of(slice);
    const auto first_from = [&](std::int64_t element) {
      return std::clamp<std::int64_t>((element - slice.offset + kPiece - 1) / kPiece, 0, pieces);
    };
    for (std::int64_t piece = first_from(begin); piece < first_from(end); ++piece) {
      const std::int64_t at = slice.offset + piece * kPiece;
      const std::int64_t size = std::min(kPiece, slice.elements - piece * kPiece);
      sums[piece] = dot(a + at, b + at, size);
    }
    sums += pieces;
  }
}

}  // namespace

torch::Tensor slice_dots(const std::vector<ParameterSlice>& slices, const torch::Tensor& a,
                         const torch::Tensor& b) {
  if (!a.is_cpu()) return slice_dots_plain(slices, a, b);
  std::int64_t pieces = 0;
  for (const auto& slice : slices) pieces += pieces_of(slice);
  std::vector<double> sums(static_cast<std::size_t>(pieces));
  const auto *const data_a = a.data_ptr<float>(), *const data_b = b.data_ptr<float>();
  for_each_range({a, b}, [&](float* const* at, std::int64_t size) {
    const std::int64_t begin = at[0] - data_a;
    add_pieces(slices, data_a, data_b, begin, begin + size, sums.data());
  });
  const auto count = static_cast<std::int64_t>(slices.size());
  auto dots = torch::zeros({count}, torch::kFloat64);
  auto totals = dots.accessor<double, 1>();
  auto next = sums.begin();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto end = next + pieces_of(slices[static_cast<std::size_t>(i)]);
    totals[i] = std::accumulate(next, end, 0.0);
    next = end;
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
