// yoke/optim/plateau.h: a learning rate that falls where evaluations get no better.
#pragma once
#include <torch/types.h>

#include <cstdint>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// What should get better: the loss by falling, the accuracy by rising.
enum class PlateauMetric { kLoss, kTop1 };

/// When the rate falls, and how far; as PyTorch's ReduceLROnPlateau.
struct PlateauRule {
  double factor = 0.1;         ///< In [0, 1].
  std::int64_t patience = 10;  ///< Evaluations in a row that may be no better.
  double threshold = 1e-4;     ///< Better by less than this share is no better.
  std::int64_t cooldown = 0;   ///< Evaluations after a fall that count as neither.
  double min_lr = 0;           ///< The rate falls no further.
  PlateauMetric metric = PlateauMetric::kLoss;
};

/// What evaluations so far make of the rate. All ranks give it the same ones.
class Plateau {
 public:
  explicit Plateau(const PlateauRule& rule);

  /// Takes the loss and the accuracy of an evaluation; returns whether the rate falls.
  bool add(double loss, double top1);

  /// The rate in place of `lr`.
  double rate(double lr) const;

  const PlateauRule& rule() const { return rule_; }

  /// What it remembers, as tensors that a checkpoint reads, and a resume writes, in place.
  NamedTensors state() const { return {{kName, memory_}}; }

  static constexpr const char* kName = "plateau";  ///< Of its state.

 private:
  enum Place : std::int64_t { kBest, kBad, kCooldown, kFalls, kPlaces };

  double& at(Place place) { return memory_.data_ptr<double>()[place]; }
  double at(Place place) const { return memory_.data_ptr<double>()[place]; }

  const PlateauRule rule_;
  torch::Tensor memory_;  // fp64 [kPlaces]
};

}  // namespace yoke
