#include "yoke/engine/compiled/memory/statistics.h"

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke::compiled {
namespace {

const float* floats(const AlignedBytes& bytes) {
  return reinterpret_cast<const float*>(bytes.data());
}

/// Mean and biased variance of channel `c` over all replicas, from those of each.
struct Moments {
  double mean = 0;
  double variance = 0;
  double count = 0;
};

Moments combine(const Statistics& layer, const std::vector<std::int64_t>& images, std::int64_t c) {
  double count = 0, sum = 0, squares = 0;
  for (std::size_t r = 0; r < images.size(); ++r) {
    if (images[r] == 0) continue;
    const double weight = static_cast<double>(images[r] * layer.area);
    const double mean = floats(layer.parts[r].mean)[c];
    count += weight;
    sum += weight * mean;
    squares += weight * (floats(layer.parts[r].variance)[c] + mean * mean);
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean, count};
}

}  // namespace

Statistics& StatisticsStore::get(ValueId layer, const torch::Tensor& running_mean,
                                 const torch::Tensor& running_variance, double momentum,
                                 std::int64_t area) {
  for (auto& known : layers_) {
    if (known.layer == layer) return known;
  }
  Statistics& made =
      layers_.emplace_back(Statistics{layer, running_mean, running_variance, momentum, area, {}});
  const auto bytes = static_cast<std::size_t>(running_mean.numel()) * sizeof(float);
  for (int i = 0; i < replicas_; ++i) {
    made.parts.push_back({AlignedBytes(bytes), AlignedBytes(bytes)});
  }
  return made;
}

void StatisticsStore::update(const std::vector<std::int64_t>& images) {
  for (auto& layer : layers_) {
    auto* const mean = layer.running_mean.data_ptr<float>();
    auto* const variance = layer.running_variance.data_ptr<float>();
    for (std::int64_t c = 0; c < layer.running_mean.numel(); ++c) {
      const Moments found = combine(layer, images, c);
      if (found.count < 2) throw Error("batch norm needs more than one value per channel");
      // Running variances are of the unbiased kind (Ioffe and Szegedy 2015, algorithm 2).
      const double unbiased = found.variance * found.count / (found.count - 1);
      mean[c] += static_cast<float>(layer.momentum * (found.mean - mean[c]));
      variance[c] += static_cast<float>(layer.momentum * (unbiased - variance[c]));
    }
  }
}

}  // namespace yoke::compiled
