#include "tests/engine/compare.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/engine/eager/eager.h"

namespace yoke::test {
namespace {

/// Everything that two steps and a prediction left, under names.
using Trail = std::vector<std::pair<std::string, torch::Tensor>>;

using MakeEngine = std::function<std::unique_ptr<Engine>(Model&, FlatParameters&)>;

Batch make_batch(const Model& model, std::int64_t size, std::int64_t seed, bool mixed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  const auto& [channels, height, width] = model.input;
  constexpr std::int64_t kClasses = 10;
  Batch batch{torch::randn({size, channels, height, width}), torch::randint(kClasses, {size})};
  if (mixed) {
    batch.other_target = torch::randint(kClasses, {size});
    batch.other_share = torch::rand({size}) / 2;
  }
  return batch;
}

torch::Tensor with_noise(const torch::Tensor& values, double noise, int seed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  return values * (1 + noise * torch::randn(values.sizes()));
}

/// Two steps of `make_engine`'s engine on a new model; its first weights are `start`.
Trail follow(Model model, const torch::Tensor& start, const MakeEngine& make_engine,
             const Comparison& comparison) {
  FlatParameters parameters(*model.module);
  {
    const torch::NoGradGuard no_grad;
    parameters.values().copy_(start);
  }
  const auto engine = make_engine(model, parameters);
  const auto batch = [&](std::int64_t number) {
    return make_batch(model, comparison.batch, comparison.images + number, comparison.mixed);
  };
  Trail trail;
  for (std::int64_t step = 0; step < 2; ++step) {
    const auto name = [step](const std::string& what) {
      return fmt::format("step {} {}", step, what);
    };
    const auto forward = engine->gradient(batch(step), {.seed = 1, .step = step});
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
  trail.emplace_back("predictions", engine->predict(batch(4).input));
  return trail;
}

/// How far apart two tensors are, and how large they are: by the largest number or by the norm.
double size_of(const torch::Tensor& tensor, bool by_norm) {
  if (tensor.numel() == 0) return 0;
  return (by_norm ? tensor.norm() : tensor.abs().max()).item<double>();
}

/// How far from the eager engine's the compiled one's results may be.
struct Tolerance {
  static constexpr double kNextToNothing = 1e-3;

  explicit Tolerance(const Comparison& comparison)
      : by_norm(comparison.precision == Precision::kBf16),
        slack(comparison.slack),
        cancels(comparison.cancels) {}

  double noise() const { return by_norm ? 0x1p-8 : 2e-6; }

  /// The size of result `i`; or, where sums cancel and it is next to nothing beside what else the
  /// module has of its kind, the size of this.
  double scale_of(std::size_t i, const Trail& trail) const {
    const auto module_of = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
    const double size = size_of(trail[i].second, by_norm);
    if (!cancels) return size;
    double most = 0;
    for (const auto& [name, tensor] : trail) {
      const bool counts = name.ends_with("num_batches_tracked");
      if (counts || module_of(name) != module_of(trail[i].first)) continue;
      most = std::max(most, size_of(tensor, by_norm));
    }
    return size < kNextToNothing * most ? most : size;
  }

  /// What is wrong with `actual`, or nothing; `nearby` are results of weights with noise.
  std::string complaint(std::size_t i, const Trail& expected, const Trail& actual,
                        const std::vector<Trail>& nearby) const {
    const auto& [name, tensor] = expected[i];
    const torch::Tensor& other = actual[i].second;
    if (tensor.sizes() != other.sizes()) {
      return fmt::format("{} has shape {}\n", name, c10::str(other.sizes()));
    }
    const double size = scale_of(i, expected), difference = size_of(tensor - other, by_norm);
    double moves = 0;
    for (const Trail& near : nearby) {
      moves = std::max(moves, size_of(tensor - near[i].second, by_norm));
    }
    const double allowed = slack * ((by_norm ? noise() : 2e-5) * size + 3 * moves + 1e-9);
    if (difference <= allowed) return "";  // not where it is no number
    return fmt::format("{}, of size {}, is {} apart; allowed: {}\n", name, size, difference,
                       allowed);
  }

  bool by_norm;
  double slack;
  bool cancels;
};

}  // namespace

std::string differences_from_eager(const std::function<Model()>& make,
                                   const Comparison& comparison) {
  const Tolerance tolerance(comparison);
  Model first = make();
  const torch::Tensor start = FlatParameters(*first.module).values().clone();
  const auto eager_in = [&](Precision precision) -> MakeEngine {
    return [&comparison, precision](Model& model, FlatParameters& parameters) {
      return make_eager_engine(model, parameters,
                               {.loss = comparison.loss, .precision = precision});
    };
  };
  const MakeEngine compiled = [&](Model& model, FlatParameters& parameters) {
    return make_compiled_engine(model, parameters,
                                {.precision = comparison.precision,
                                 .replicas = comparison.replicas,
                                 .micro_batch = comparison.micro_batch,
                                 .convolution = comparison.convolution,
                                 .loss = comparison.loss,
                                 .early_gradients = comparison.early_gradients});
  };
  const Trail expected = follow(make(), start, eager_in(Precision::kFp32), comparison);
  const Trail actual = follow(make(), start, compiled, comparison);
  // Most results need no look at what noise does, which takes most of the time.
  std::vector<Trail> nearby;
  while (true) {
    std::string complaints;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      complaints += tolerance.complaint(i, expected, actual, nearby);
    }
    const int tries = static_cast<int>(nearby.size());
    if (complaints.empty() || tries == (comparison.cancels ? 12 : 3)) return complaints;
    nearby.push_back(follow(make(), with_noise(start, tolerance.noise(), tries),
                            eager_in(tries < 3 ? Precision::kFp32 : comparison.precision),
                            comparison));
  }
}

void compare_with_eager(const std::function<Model()>& make, const Comparison& comparison) {
  EXPECT_EQ(differences_from_eager(make, comparison), "");
}

void compare_throughout(const std::function<Model()>& make, bool cancels) {
  for (const std::int64_t batch : {1, 5, 33}) {
    compare_with_eager(make, {.batch = batch, .cancels = cancels});
  }
  compare_with_eager(make, {.batch = 17, .replicas = 2, .micro_batch = 3, .cancels = cancels});
  if (!why_not(Precision::kBf16).empty()) return;
  compare_with_eager(make,
                     {.batch = 17, .precision = Precision::kBf16, .slack = 2, .cancels = cancels});
}

}  // namespace yoke::test
