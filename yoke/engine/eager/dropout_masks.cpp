#include "yoke/engine/eager/dropout_masks.h"

#include <ATen/ops/alpha_dropout_native.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/feature_alpha_dropout_native.h>
#include <ATen/ops/feature_dropout_native.h>
#include <torch/library.h>

#include <cmath>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

using Unit = DropoutMasks::Unit;

thread_local DropoutMasks* active_masks = nullptr;

bool takes_part(const Tensor& input, double p, bool training) {
  return active_masks != nullptr && training && p > 0 && p < 1 && input.numel() > 0;
}

/// What the input is multiplied by, and what is added: where moments are kept such that mean and
/// variance stay (Klambauer et al. 2017, "Self-Normalizing Neural Networks", section 3), else
/// undefined.
struct Noise {
  Tensor factor, addend;
};

template <Unit kUnit, bool kKeepsMoments>
Noise make_noise(const Tensor& input, double p) {
  const torch::NoGradGuard no_grad;
  Tensor kept = active_masks->draw(input, kUnit, p);
  if constexpr (!kKeepsMoments) return {kept.div_(1 - p), {}};
  constexpr double kAlpha = 1.7580993408473766;  // -alpha' of equation 14
  const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const Tensor addend = kept.add(-1).mul_(kAlpha * a).add_(kAlpha * a * p);
  return {kept.mul_(a), addend};
}

template <auto kNative, Unit kUnit, bool kKeepsMoments>
Tensor drop(const Tensor& input, double p, bool training) {
  if (!takes_part(input, p, training)) return kNative(input, p, training);
  const Noise noise = make_noise<kUnit, kKeepsMoments>(input, p);
  const Tensor output = input * noise.factor;
  return kKeepsMoments ? output + noise.addend : output;
}

template <auto kNative, Unit kUnit, bool kKeepsMoments>
Tensor& drop_in_place(Tensor& input, double p, bool training) {
  if (!takes_part(input, p, training)) return kNative(input, p, training);
  const Noise noise = make_noise<kUnit, kKeepsMoments>(input, p);
  input.mul_(noise.factor);
  if (kKeepsMoments) input.add_(noise.addend);
  return input;
}

void add_to(torch::Library& library) {
  namespace native = at::native;
  library.impl("dropout", TORCH_FN((drop<&native::dropout, Unit::kElement, false>)));
  library.impl("dropout_", TORCH_FN((drop_in_place<&native::dropout_, Unit::kElement, false>)));
  library.impl("alpha_dropout", TORCH_FN((drop<&native::alpha_dropout, Unit::kElement, true>)));
  library.impl("alpha_dropout_",
               TORCH_FN((drop_in_place<&native::alpha_dropout_, Unit::kElement, true>)));
  library.impl("feature_dropout",
               TORCH_FN((drop<&native::feature_dropout, Unit::kChannel, false>)));
  library.impl("feature_dropout_",
               TORCH_FN((drop_in_place<&native::feature_dropout_, Unit::kChannel, false>)));
  library.impl("feature_alpha_dropout",
               TORCH_FN((drop<&native::feature_alpha_dropout, Unit::kChannel, true>)));
  library.impl("feature_alpha_dropout_",
               TORCH_FN((drop_in_place<&native::feature_alpha_dropout_, Unit::kChannel, true>)));
}

/// Puts these before LibTorch's own, for the rest of the process; done once, when first wanted.
void register_dropout_once() {
  static const std::vector<torch::Library> libraries_of_process = [] {
    std::vector<torch::Library> libraries;
    for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA}) {
      libraries.emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
      add_to(libraries.back());
    }
    return libraries;
  }();
  static_cast<void>(libraries_of_process);
}

}  // namespace

DropoutMasks::DropoutMasks() : before_(active_masks) {
  register_dropout_once();
  active_masks = this;
}

DropoutMasks::~DropoutMasks() { active_masks = before_; }

std::vector<std::int64_t> DropoutMasks::mask_shape(const Tensor& input, Unit unit) {
  std::vector<std::int64_t> shape = input.sizes().vec();
  if (unit == Unit::kChannel) {
    if (input.dim() < 2) throw Error("dropout of channels needs at least two dimensions");
    std::fill(shape.begin() + 2, shape.end(), 1);
  }
  return shape;
}

}  // namespace yoke
