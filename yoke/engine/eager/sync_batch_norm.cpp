#include "yoke/engine/eager/sync_batch_norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local const SumOverRanks* active_sum = nullptr;

/// A sum that the backward pass finds with what else it keeps: on a GPU it runs in a thread of
/// autograd's own.
struct KeptSum final : torch::CustomClassHolder {
  explicit KeptSum(SumOverRanks given) : sum(std::move(given)) {}
  const SumOverRanks sum;
};

/// All but the channels.
std::vector<std::int64_t> other_dimensions(const Tensor& input) {
  std::vector<std::int64_t> dimensions = {0};
  for (std::int64_t i = 2; i < input.dim(); ++i) dimensions.push_back(i);
  return dimensions;
}

/// [C] to go with [N, C, ...].
Tensor spread(const Tensor& channels, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = channels.numel();
  return channels.view(shape);
}

/// Sums of `a` and of `b` per channel, and `count`, over all ranks by `sum`: fp64 [2 C + 1].
Tensor sums_over_ranks(const SumOverRanks& sum, const Tensor& a, const Tensor& b, double count) {
  const auto dimensions = other_dimensions(a);
  Tensor sums = torch::cat({a.sum(dimensions, false, torch::kFloat64),
                            b.sum(dimensions, false, torch::kFloat64),
                            torch::full({1}, count, a.options().dtype(torch::kFloat64))});
  sum(sums);
  return sums;
}

class Normalise : public torch::autograd::Function<Normalise> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, const Tensor& running_mean,
                        const Tensor& running_variance, double momentum, double epsilon) {
    const std::int64_t channels = input.size(1);
    const double here = static_cast<double>(input.numel()) / static_cast<double>(channels);
    const auto kept = c10::make_intrusive<KeptSum>(*active_sum);
    const Tensor sums = sums_over_ranks(kept->sum, input, input.square(), here);
    const double count = sums[2 * channels].item<double>();
    if (count < 2) throw Error("batch norm needs more than one value per channel");
    const Tensor mean = sums.narrow(0, 0, channels) / count;
    const Tensor variance =
        (sums.narrow(0, channels, channels) / count - mean.square()).clamp_min(0);
    if (running_mean.defined()) {
      Tensor(running_mean).lerp_(mean.to(running_mean.scalar_type()), momentum);
      Tensor(running_variance)
          .lerp_((variance * (count / (count - 1))).to(running_variance.scalar_type()), momentum);
    }
    const Tensor inverse = (variance + epsilon).rsqrt().to(input.scalar_type());
    const Tensor normal =
        (input - spread(mean.to(input.scalar_type()), input)) * spread(inverse, input);
    context->save_for_backward({normal, inverse, weight});
    context->saved_data["count"] = count;
    context->saved_data["sum"] = c10::IValue::make_capsule(kept);
    Tensor output = normal;
    if (weight.defined()) output = output * spread(weight, input);
    if (bias.defined()) output = output + spread(bias, input);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &normal = saved[0], &inverse = saved[1], &weight = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    const std::int64_t channels = normal.size(1);
    const auto dimensions = other_dimensions(normal);
    const Tensor product = gradient * normal;
    const auto kept =
        c10::static_intrusive_pointer_cast<KeptSum>(context->saved_data["sum"].toCapsule());
    const Tensor sums = sums_over_ranks(kept->sum, gradient, product, 0).to(normal.scalar_type());
    const double count = context->saved_data["count"].toDouble();
    const Tensor mean = spread(sums.narrow(0, 0, channels) / count, normal);
    const Tensor slope = spread(sums.narrow(0, channels, channels) / count, normal);
    const Tensor scale = weight.defined() ? inverse * weight : inverse;
    const Tensor input = (gradient - mean - normal * slope) * spread(scale, normal);
    // Parameters' gradients are of this rank's images alone, as those of all other layers.
    const bool affine = weight.defined();
    return {input,
            affine ? product.sum(dimensions) : Tensor(),
            affine ? gradient.sum(dimensions) : Tensor(),
            Tensor(),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

/// At least in fp32: the squares of fp16 numbers above 255 are none.
Tensor normalise(const BatchNormCall& call) {
  const auto wide = c10::promoteTypes(call.input.scalar_type(), torch::kFloat32);
  return Normalise::apply(call.input.to(wide), call.weight, call.bias, call.running_mean,
                          call.running_variance, call.momentum, call.epsilon)
      .to(call.input.scalar_type());
}

}  // namespace

SyncBatchNorm::SyncBatchNorm(const SumOverRanks& sum) : before_(active_sum), hook_(normalise) {
  active_sum = &sum;
}

SyncBatchNorm::~SyncBatchNorm() { active_sum = before_; }

}  // namespace yoke
