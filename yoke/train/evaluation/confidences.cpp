#include "yoke/train/evaluation/confidences.h"

#include <algorithm>
#include <cmath>

namespace yoke {
namespace {

/// Confidences are added up as whole multiples of 1 / kParts, for which the order does not matter;
/// a bin has room for 2^31 images.
constexpr double kParts = 4294967296.0;

enum Field { kImages, kRight, kConfidence, kFields };  // of a row of the sums

std::int64_t bin_of(float confidence) {
  constexpr auto kBins = Confidences::kBins;
  const double end = std::ceil(static_cast<double>(confidence) * kBins);  // the product is exact
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(end) - 1, 0, kBins - 1);
}

}  // namespace

void Confidences::add(const Likeliest& likeliest, const torch::Tensor& right) {
  const auto on_cpu = right.to(torch::kCPU).contiguous();
  const auto* const probability = likeliest.probability.data_ptr<float>();
  auto* const sums = sums_.data_ptr<std::int64_t>();
  for (std::int64_t n = 0; n < likeliest.probability.size(0); ++n) {
    if (std::isnan(probability[n])) continue;
    auto* const bin = sums + kFields * bin_of(probability[n]);
    bin[kImages] += 1;
    bin[kRight] += on_cpu.data_ptr<bool>()[n] ? 1 : 0;
    bin[kConfidence] += std::llround(kParts * probability[n]);
  }
}

std::vector<ConfidenceBin> Confidences::gather(Communicator& communicator) const {
  const auto sums = sums_.clone();
  communicator.all_reduce(sums);
  std::vector<ConfidenceBin> bins;
  for (std::int64_t b = 0; b < kBins; ++b) {
    const auto* const bin = sums.data_ptr<std::int64_t>() + kFields * b;
    const auto images = static_cast<double>(bin[kImages]);
    bins.push_back({.images = bin[kImages],
                    .confidence = static_cast<double>(bin[kConfidence]) / kParts / images,
                    .accuracy = static_cast<double>(bin[kRight]) / images});
  }
  return bins;
}

}  // namespace yoke
