#include "yoke/optim/plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yoke {

Plateau::Plateau(const PlateauRule& rule)
    : rule_(rule), memory_(torch::zeros({kPlaces}, torch::kFloat64)) {
  at(kBest) = std::numeric_limits<double>::infinity();
}

bool Plateau::add(double loss, double top1) {
  const bool rises = rule_.metric == PlateauMetric::kTop1;
  const double found = rises ? -top1 : loss;  // less is better
  const double share = rises ? 1 + rule_.threshold : 1 - rule_.threshold;
  if (found < at(kBest) * share) {
    at(kBest) = found;
    at(kBad) = 0;
  } else {
    ++at(kBad);
  }
  if (at(kCooldown) > 0) {
    --at(kCooldown);
    at(kBad) = 0;
  }
  if (at(kBad) <= static_cast<double>(rule_.patience)) return false;
  at(kCooldown) = static_cast<double>(rule_.cooldown);
  at(kBad) = 0;
  ++at(kFalls);
  return true;
}

double Plateau::rate(double lr) const {
  return std::max(lr * std::pow(rule_.factor, at(kFalls)), std::min(lr, rule_.min_lr));
}

}  // namespace yoke
