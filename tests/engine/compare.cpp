#include "tests/engine/compare.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "yoke/engine/eager.h"

namespace yoke::test {
namespace {

/// Everything that two steps and a prediction left, under names.
using Trail = std::vector<std::pair<std::string, torch::Tensor>>;

using MakeEngine = std::function<std::unique_ptr<Engine>(Model&, FlatParameters&)>;

Batch make_batch(const Model& model, std::int64_t size, std::int64_t seed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  const auto& [channels, height, width] = model.input;
  constexpr std::int64_t kClasses = 10;
  return {torch::randn({size, channels, height, width}), torch::randint(kClasses, {size})};
}

torch::Tensor with_noise(const torch::Tensor& values, double noise, int seed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  return values * (1 + noise * torch::randn(values.sizes()));
}

/// Two steps of `make_engine`'s engine on a new model; its first weights are `start`.
Trail follow(Model model, const torch::Tensor& start, const MakeEngine& make_engine,
             std::int64_t batch_size) {
  FlatParameters parameters(*model.module);
  {
    const torch::NoGradGuard no_grad;
    parameters.values().copy_(start);
  }
  const auto engine = make_engine(model, parameters);
  Trail trail;
  for (std::int64_t step = 0; step < 2; ++step) {
    const auto name = [step](const std::string& what) {
      return fmt::format("step {} {}", step, what);
    };
    const auto forward = engine->gradient(make_batch(model, batch_size, 5 + step),
                                          {.seed = 1, .rank = 0, .step = step});
    trail.emplace_back(name("loss"), forward.loss.clone());
    trail.emplace_back(name("scores"), forward.scores.clone());
    for (const auto& slice : parameters.slices()) {
      const auto end = slice.offset + slice.elements;
      trail.emplace_back(name("gradient of " + slice.name),
                         parameters.gradients().slice(0, slice.offset, end).clone());
    }
    const torch::NoGradGuard no_grad;
    parameters.values().sub_(parameters.gradients(), 0.05);
    for (const auto& buffer : model.module->named_buffers()) {
      trail.emplace_back(name(buffer.key()), buffer.value().to(torch::kFloat32, false, true));
    }
  }
  trail.emplace_back("weights", parameters.values().clone());
  trail.emplace_back("predictions", engine->predict(make_batch(model, batch_size, 9).input));
  return trail;
}

/// How far apart two tensors are, and how large they are: by the largest number or by the norm.
double size_of(const torch::Tensor& tensor, bool by_norm) {
  if (tensor.numel() == 0) return 0;
  return (by_norm ? tensor.norm() : tensor.abs().max()).item<double>();
}

}  // namespace

void compare_with_eager(const std::function<Model()>& make, const Comparison& comparison) {
  const bool by_norm = comparison.precision == Precision::kBf16;
  const double noise = by_norm ? 0x1p-8 : 2e-6;
  Model first = make();
  const torch::Tensor start = FlatParameters(*first.module).values().clone();
  const MakeEngine eager = [&](Model& model, FlatParameters& parameters) {
    return make_eager_engine(model, parameters, comparison.label_smoothing);
  };
  const MakeEngine compiled = [&](Model& model, FlatParameters& parameters) {
    return make_compiled_engine(model, parameters,
                                {.precision = comparison.precision,
                                 .replicas = comparison.replicas,
                                 .micro_batch = comparison.micro_batch,
                                 .label_smoothing = comparison.label_smoothing});
  };
  const Trail expected = follow(make(), start, eager, comparison.batch);
  std::vector<Trail> nearby;
  for (int i = 0; i < 3; ++i) {
    nearby.push_back(follow(make(), with_noise(start, noise, i), eager, comparison.batch));
  }
  const Trail actual = follow(make(), start, compiled, comparison.batch);
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [name, tensor] = expected[i];
    ASSERT_EQ(tensor.sizes(), actual[i].second.sizes()) << name;
    const double size = size_of(tensor, by_norm);
    double moves = 0;
    for (const Trail& other : nearby) {
      moves = std::max(moves, size_of(tensor - other[i].second, by_norm));
    }
    const double allowed = comparison.slack * ((by_norm ? noise : 2e-5) * size + 3 * moves + 1e-9);
    const double difference = size_of(tensor - actual[i].second, by_norm);
    EXPECT_TRUE(std::isfinite(difference)) << name;
    EXPECT_LE(difference, allowed) << name << " of size " << size;
  }
}

}  // namespace yoke::test
