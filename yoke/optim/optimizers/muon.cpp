// yoke/optim/optimizers/muon.cpp: Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers
// in neural networks") with the lengths of steps of Liu et al. 2025, "Muon is scalable for LLM
// training", equation 4, so that one rate does for AdamW's parameters too.
#include <algorithm>
#include <cmath>
#include <optional>

#include "yoke/core/repeated_work.h"
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

/// Places in the flat vector of what is not in a matrix, int64.
torch::Tensor places_of_vectors(FlatParameters& parameters) {
  std::vector<torch::Tensor> places{torch::empty({0}, torch::kInt64)};
  for (const auto& slice : parameters.slices()) {
    if (is_matrix(slice)) continue;
    places.push_back(torch::arange(slice.offset, slice.offset + slice.elements, torch::kInt64));
  }
  return torch::cat(places).to(parameters.values().device());
}

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
        vectors_(places_of_vectors(shard_.parameters)),
        steps_(torch::zeros({1}, torch::kInt64)),
        velocity_(torch::zeros_like(shard.parameters.values())),
        square_(torch::zeros_like(shard.parameters.values())),
        gathered_(torch::zeros({elements_of_matrices()}, velocity_.options())) {
    if (shard.graph && !matrices().empty()) {
      orthogonalising_.emplace(shard.graph(velocity_.device()));
    }
  }

  torch::Tensor step(const Objective& objective, const Rates& rates) override {
    torch::Tensor loss = objective();
    const torch::NoGradGuard no_grad;
    steps_.add_(1);
    const torch::Tensor mean = velocity_.index_select(0, vectors_);
    gather(advance(rates));
    move_vectors(mean, rates);
    move_matrices(matrices(), rates.lr);
    return loss;
  }

  std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"steps", steps_}, {"momentum_buffer", velocity_}, {"exp_avg_sq", square_}};
  }

 private:
  static torch::Tensor cut(const torch::Tensor& vector, const ParameterSlice& slice) {
    return vector.narrow(0, slice.offset, slice.elements);
  }

  /// Moves the velocity on by the gradient; where matrices are to go, [P].
  torch::Tensor advance(const Rates& rates) {
    const torch::Tensor gradients = shard_.parameters.gradients();
    const double momentum = rates.momentum.value_or(options_.momentum);
    velocity_.lerp_(gradients, 1 - momentum);
    return options_.nesterov ? gradients.lerp(velocity_, momentum) : velocity_;
  }

  std::int64_t elements_of_matrices() const {
    std::int64_t total = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (is_matrix(slice)) total += c10::multiply_integers(slice.shape);
    }
    return total;
  }

  /// The matrices of `directions`, [P], one after the other, whole also where a part ends in one.
  void gather(const torch::Tensor& directions) {
    gathered_.zero_();
    std::int64_t offset = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) continue;
      gathered_.narrow(0, offset + slice.begin, slice.elements).copy_(cut(directions, slice));
      offset += c10::multiply_integers(slice.shape);
    }
    if (shard_.sum) shard_.sum(gathered_);
  }

  /// What lies in this part, the largest first, with their places among the gathered ones.
  std::vector<Matrix> matrices() const {
    std::vector<Matrix> found;
    std::int64_t offset = 0;
    for (const auto& slice : shard_.parameters.slices()) {
      if (!is_matrix(slice)) continue;
      const std::int64_t size = c10::multiply_integers(slice.shape);
      if (slice.elements > 0) {
        const std::int64_t rows = slice.shape.front();
        found.push_back({&slice, gathered_.narrow(0, offset, size).view({rows, -1})});
      }
      offset += size;
    }
    std::stable_sort(found.begin(), found.end(), [](const Matrix& a, const Matrix& b) {
      return a.direction.numel() > b.direction.numel();
    });
    return found;
  }

  void move_matrices(const std::vector<Matrix>& matrices, double lr) {
    if (velocity_.is_cpu() && !orthogonalising_) {
      return for_each_item(matrices.size(), [&](std::size_t i) {
        const torch::NoGradGuard no_grad_in_this_thread;
        move(matrices[i], orthogonalise(matrices[i].direction, options_.iterations), lr);
      });
    }
    std::vector<torch::Tensor> directions;
    for (const Matrix& matrix : matrices) directions.push_back(matrix.direction);
    const auto work = [this, directions] {
      orthogonal_ = orthogonalise_each(directions, options_.iterations);
    };
    orthogonalising_ ? orthogonalising_->run(work) : work();
    for (std::size_t i = 0; i < matrices.size(); ++i) move(matrices[i], orthogonal_[i], lr);
  }

  void move(const Matrix& matrix, const torch::Tensor& step, double lr) {
    const ParameterSlice& slice = *matrix.slice;
    const auto longer = static_cast<double>(std::max(step.size(0), step.size(1)));
    torch::Tensor values = cut(shard_.parameters.values(), slice);
    if (!leaves_off(shard_.no_decay, slice)) values.mul_(1 - lr * options_.weight_decay);
    values.sub_(step.reshape({-1}).narrow(0, slice.begin, slice.elements),
                lr * 0.2 * std::sqrt(longer));
  }

  /// All vectors as one; `mean` is AdamW's, of them.
  void move_vectors(const torch::Tensor& mean, const Rates& rates) {
    const auto taken = [&](const torch::Tensor& from) { return from.index_select(0, vectors_); };
    torch::Tensor values = taken(shard_.parameters.values()), square = taken(square_);
    adam_update(values, taken(shard_.parameters.gradients()), mean, square,
                {.number = steps_.item<std::int64_t>(),
                 .lr = rates.lr,
                 .beta1 = options_.beta1,
                 .beta2 = options_.beta2,
                 .epsilon = options_.epsilon});
    shard_.parameters.values().index_copy_(0, vectors_, values);
    velocity_.index_copy_(0, vectors_, mean);
    square_.index_copy_(0, vectors_, square);
  }

  Shard shard_;
  MuonOptions options_;
  torch::Tensor vectors_;                        // int64, places of vectors
  torch::Tensor steps_;                          // int64 [1]
  torch::Tensor velocity_;                       // fp32 [P]; AdamW's mean in vectors
  torch::Tensor square_;                         // fp32 [P]; of vectors only
  torch::Tensor gathered_;                       // fp32, whole matrices
  std::vector<torch::Tensor> orthogonal_;        // of each in this part
  std::optional<RepeatedWork> orthogonalising_;  // where it is recorded
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
