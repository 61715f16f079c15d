#include "yoke/engine/eager/gpu_settings.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke {

void apply(const GpuSettings& settings) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(settings.tf32 != Tf32::kNowhere);
  context.setAllowTF32CuBLAS(settings.tf32 == Tf32::kEverywhere);
  context.setBenchmarkCuDNN(!settings.deterministic);
  context.setDeterministicCuDNN(settings.deterministic);
  context.setDeterministicAlgorithms(settings.deterministic, /*warn_only=*/false);
}

AlgorithmTrials::AlgorithmTrials() : tries_(at::globalContext().benchmarkCuDNN()) {}

void AlgorithmTrials::prepare(std::int64_t images) {
  most_ = std::max(most_, images);
  const bool usual = images == most_;
  at::Context& context = at::globalContext();
  if (tries_ && context.benchmarkCuDNN() != usual) context.setBenchmarkCuDNN(usual);
}

std::string describe_tf32() {
  const bool convolutions = at::globalContext().allowTF32CuDNN();
  const bool products = at::globalContext().allowTF32CuBLAS();
  if (convolutions && products) return "tf32";
  if (convolutions) return "tf32 in convolutions";
  return products ? "tf32 in matrix products" : "";
}

}  // namespace yoke
