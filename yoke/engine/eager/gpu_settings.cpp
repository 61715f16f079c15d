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
  context.setBenchmarkCuDNN(settings.trials && !settings.deterministic);
  context.setDeterministicCuDNN(settings.deterministic);
  context.setDeterministicAlgorithms(settings.deterministic, /*warn_only=*/false);
}

bool steps_repay_trials(std::int64_t steps) {
  // On an H100 they took 3 to 4 s of a run of airbench, and saved 4 % of steps of some
  // milliseconds.
  constexpr std::int64_t kSteps = 10'000;
  return steps >= kSteps;
}

void AlgorithmTrials::prepare(std::int64_t images) {
  at::Context& context = at::globalContext();
  if (!tries_) tries_ = context.benchmarkCuDNN();
  most_ = std::max(most_, images);
  const bool usual = images == most_;
  if (*tries_ && context.benchmarkCuDNN() != usual) context.setBenchmarkCuDNN(usual);
}

std::string describe_tf32() {
  const bool convolutions = at::globalContext().allowTF32CuDNN();
  const bool products = at::globalContext().allowTF32CuBLAS();
  if (convolutions && products) return "tf32";
  if (convolutions) return "tf32 in convolutions";
  return products ? "tf32 in matrix products" : "";
}

}  // namespace yoke
