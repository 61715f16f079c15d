// yoke/optim/optimizers/muon.cpp: Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers
// in neural networks") with the lengths of steps of Liu et al. 2025, "Muon is scalable for LLM
// training", equation 4, so that one rate does for AdamW's parameters too.
#include <algorithm>
#include <cmath>

#include "yoke/optim/optimizer.h"
#include "yoke/optim/optimizers/adam_update.h"
#include "yoke/optim/optimizers/orthogonal.h"
#include "yoke/optim/ranges.h"

namespace yoke {
namespace {

struct MuonOptions {
  double momentum = 0.95;
  bool nesterov = true;
  int iterations = 5;
  double weight_decay = 0.01;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

OptionTable<MuonOptions> muon_options() {
  using O = MuonOptions;
  return {
      {"momentum", &O::momentum, in(0, 1), "decay of a matrix's velocity"},
      {"nesterov", &O::nesterov, "Nesterov's form, of matrices"},
      {"iterations", &O::iterations, in(1, 100),
       "of Newton and Schulz, which make a matrix orthogonal"},
      {"weight_decay", &O::weight_decay, at_least(0), "shrinks the matrices by lr times this"},
      {"beta1", &O::beta1, in(0, below(1)), "of vectors, as in `adamw`"},
      {"beta2", &O::beta2, in(0, below(1)), "of vectors, as in `adamw`"},
      {{"eps", "epsilon"}, &O::epsilon, at_least(0), "of vectors, as in `adamw`"},
  };
}

/// Convolutions as matrices of a row for each channel that comes out.
bool is_matrix(const ParameterSlice& slice) { return slice.shape.size() > 1; }

/// A parameter, and where all of it is to go, fp32 [rows, elements / rows].
struct Matrix {
  const ParameterSlice* slice;
  torch::Tensor direction;
};

class Muon final : public Optimizer {
 public:
  Muon(const Shard& shard, const MuonOptions& options)
      : shard_(shard),
        options_(options),
        steps_(torch::zeros({1}, torch::kInt64)),
        velocity_(torch::zeros_like(shard.parameters.values())),
        square_(torch::zeros_like(shard.parameters.values())) {}

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    torch::Tensor loss = objective();
    const torch::NoGradGuard no_grad;
    steps_.add_(1);
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) move_vector(slice, rates);
    }
    const auto matrices = this->matrices(gather(advance(rates)));
    const auto move = [&](std::size_t i) {
      const torch::NoGradGuard no_grad_in_this_thread;
      move_matrix(matrices[i], rates.lr);
    };
    if (velocity_.is_cpu()) {
      for_each_item(matrices.size(), move);
    } else {  // in this thread's stream
      for (std::size_t i = 0; i < matrices.size(); ++i) move(i);
    }
    return loss;
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"steps", steps_}, {"momentum_buffer", velocity_}, {"exp_avg_sq", square_}};
  }

 private:
  static torch::Tensor cut(const torch::Tensor& vector, const ParameterSlice& slice) {
    return vector.narrow(0, slice.offset, slice.elements);
  }

  /// Moves the velocity of matrices on by the gradient; where each is to go, [P].
  torch::Tensor advance(const Rates& rates) {
    const torch::Tensor gradients = shard_.parameters.gradients();
    const double momentum = rates.momentum.value_or(options_.momentum);
    torch::Tensor directions = torch::empty_like(gradients);
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) continue;
      const torch::Tensor gradient = cut(gradients, slice), velocity = cut(velocity_, slice);
      velocity.lerp_(gradient, 1 - momentum);
      cut(directions, slice)
          .copy_(options_.nesterov ? gradient.lerp(velocity, momentum) : velocity);
    }
    return directions;
  }

  /// The matrices of `directions`, [P], one after the other, whole also where a part ends in one.
  torch::Tensor gather(const torch::Tensor& directions) const {
    std::int64_t total = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (is_matrix(slice)) total += c10::multiply_integers(slice.shape);
    }
    torch::Tensor whole = torch::zeros({total}, directions.options());
    std::int64_t offset = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) continue;
      whole.narrow(0, offset + slice.begin, slice.elements).copy_(cut(directions, slice));
      offset += c10::multiply_integers(slice.shape);
    }
    if (shard_.sum) shard_.sum(whole);
    return whole;
  }

  /// What lies in this part, the largest first, with their places in gathered `directions`.
  std::vector<Matrix> matrices(const torch::Tensor& directions) const {
    std::vector<Matrix> found;
    std::int64_t offset = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) continue;
      const std::int64_t size = c10::multiply_integers(slice.shape);
      if (slice.elements > 0) {
        const std::int64_t rows = slice.shape.front();
        found.push_back({&slice, directions.narrow(0, offset, size).view({rows, -1})});
      }
      offset += size;
    }
    std::stable_sort(found.begin(), found.end(), [](const Matrix& a, const Matrix& b) {
      return a.direction.numel() > b.direction.numel();
    });
    return found;
  }

  void move_matrix(const Matrix& matrix, double lr) {
    const auto& [slice, direction] = matrix;
    const auto longer = static_cast<double>(std::max(direction.size(0), direction.size(1)));
    const torch::Tensor step = orthogonalise(direction, options_.iterations).reshape({-1});
    torch::Tensor values = cut(shard_.parameters.values(), *slice);
    if (!leaves_off(shard_.no_decay, *slice)) values.mul_(1 - lr * options_.weight_decay);
    values.sub_(step.narrow(0, slice->begin, slice->elements), lr * 0.2 * std::sqrt(longer));
  }

  void move_vector(const ParameterSlice& slice, const Rates& rates) {
    adam_update(cut(shard_.parameters.values(), slice), cut(shard_.parameters.gradients(), slice),
                cut(velocity_, slice), cut(square_, slice),
                {.number = steps_.item<std::int64_t>(),
                 .lr = rates.lr,
                 .beta1 = options_.beta1,
                 .beta2 = options_.beta2,
                 .epsilon = options_.epsilon});
  }

  Shard shard_;
  MuonOptions options_;
  torch::Tensor steps_;     // int64 [1]
  torch::Tensor velocity_;  // fp32 [P]; AdamW's mean in vectors
  torch::Tensor square_;    // fp32 [P]; of vectors only
};

}  // namespace

OptimizerPlugin muon_optimizer() {
  return {muon_options(),
          [](const Shard& shard, const MuonOptions& options) {
            return std::make_unique<Muon>(shard, options);
          },
          OptimizerTraits{.default_lr = 1e-3, .elementwise = false, .can_leave_decay_off = true}};
}

}  // namespace yoke
