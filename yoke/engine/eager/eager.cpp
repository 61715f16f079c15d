#include "yoke/engine/eager/eager.h"

#include <ATen/record_function.h>
#include <torch/utils.h>

#include <optional>

#include "yoke/core/error.h"
#include "yoke/core/random.h"
#include "yoke/engine/eager/arithmetic.h"
#include "yoke/engine/eager/captured_step.h"
#include "yoke/engine/eager/device_images.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/engine/eager/gradient_hooks.h"
#include "yoke/engine/eager/keyed_dropout.h"
#include "yoke/engine/eager/sync_batch_norm.h"
#include "yoke/models/module_parts.h"

namespace yoke {
namespace {

class EagerEngine final : public Engine {
 public:
  EagerEngine(Model& model, FlatParameters& parameters, const EagerOptions& options)
      : options_(options),
        parameters_(parameters),
        arithmetic_(make_arithmetic(options.precision, model, parameters, options.another)) {
    auto& weights = options_.loss.class_weights;
    if (weights.defined()) weights = weights.to(device());
    if (options.loss_scale) scale_ = torch::ones({}, torch::device(device()));
    if (options.graph) captured_.emplace(options.graph(device()), device());
  }

  Forward gradient(const Batch& batch, const StepKey& key, const GradientReady& ready) override {
    if (options_.seeding == Seeding::kEngine) torch::manual_seed(dropout_seed(batch, key));
    if (scale_.defined()) scale_.fill_(options_.loss_scale());
    if (!device().is_cpu()) trials_.prepare(batch.size());
    std::optional<KeyedDropout> dropout;
    if (device().is_cpu() && batch.size() > 0) dropout.emplace(key, batch);
    if (!captured_) return compute(batch, ready);
    // Hooks would keep nodes of autograd that belong to one stream.
    const auto alone = [this](const Batch& given) { return compute(given, {}); };
    Forward forward = batch.size() == 0 ? alone(batch) : captured_->run(batch, alone);
    if (ready) ready(0, parameters_.size());
    return forward;
  }

  void synchronise_batch_norm(SumOverRanks sum) override {
    if (captured_) {
      throw UsageError(
          "--cuda-graph on records a step of this rank alone, and sync_batchnorm=true adds up over "
          "ranks in the middle of it; give --cuda-graph off, or leave out sync_batchnorm");
    }
    sum_over_ranks_ = std::move(sum);
  }

  torch::Tensor predict(const torch::Tensor& input) override {
    const torch::NoGradGuard no_grad;
    if (!device().is_cpu()) trials_.prepare(input.size(0));
    prepare(/*training=*/false);
    return forward(input);
  }

  std::string describe(std::int64_t) override {
    std::string text = fmt::format("eager, {}", arithmetic_->describe());
    if (!device().is_cpu() && options_.precision == Precision::kFp32) {
      if (const auto tf32 = describe_tf32(); !tf32.empty()) text += fmt::format(" ({})", tf32);
    }
    return captured_ ? text + ", CUDA graph" : text;
  }

 private:
  torch::Device device() const { return parameters_.values().device(); }

  /// The step itself. It reads from memory whatever may differ from one step to the next.
  Forward compute(const Batch& batch, const GradientReady& ready) {
    prepare(/*training=*/true);
    parameters_.gradients().zero_();
    const auto announce = [&](const auto& backward) { run_backward(ready, backward); };
    std::optional<SyncBatchNorm> synchronised;
    if (sum_over_ranks_) {
      synchronised.emplace(sum_over_ranks_);
    } else if (batch.size() == 0) {
      announce([] {});
      return {.loss = torch::zeros({}), .scores = torch::zeros({0, 0})};
    }
    const auto scores = forward(batch.input);
    const auto loss = batch.size() == 0 ? scores.sum() : mean_loss(scores, batch, options_.loss);
    const auto share = static_cast<double>(batch.size()) / static_cast<double>(batch.whole());
    const auto shared = batch.size() == batch.whole() ? loss : loss * share;
    const auto scaled = scale_.defined() ? shared * scale_ : shared;
    announce([&] { scaled.backward(); });
    return {.loss = shared.detach(), .scores = scores.detach()};
  }

  void prepare(bool training) {
    torch::nn::Module& module = arithmetic_->module();
    if (module.is_training() != training) set_training(module, training);
    arithmetic_->load();
  }

  /// Puts the gradients that `backward` makes into the flat ones, and tells of them.
  void run_backward(const GradientReady& ready, const std::function<void()>& backward) {
    RECORD_USER_SCOPE("backward");
    if (!ready) {
      backward();
      return arithmetic_->store(0, parameters_.size());
    }
    if (!hooks_) hooks_.emplace(arithmetic_->module(), parameters_);
    const GradientReady stored = [&](std::int64_t begin, std::int64_t end) {
      arithmetic_->store(begin, end);
      ready(begin, end);
    };
    hooks_->during(stored, backward);
  }

  /// fp32 [N, classes].
  torch::Tensor forward(const torch::Tensor& input) {
    RECORD_USER_SCOPE("forward");
    const auto scores = arithmetic_->forward(device_images(input, device()));
    if (scores.dim() != 2 || scores.size(0) != input.size(0)) {
      throw Error(
          fmt::format("the model turned images of shape {} into scores of shape {}; "
                      "expected [{}, classes]",
                      c10::str(input.sizes()), c10::str(scores.sizes()), input.size(0)));
    }
    return scores.to(torch::kFloat32);
  }

  EagerOptions options_;
  FlatParameters& parameters_;
  const std::unique_ptr<Arithmetic> arithmetic_;
  torch::Tensor scale_;  // fp32 [], of the loss; undefined where that is not scaled
  std::optional<CapturedStep> captured_;
  AlgorithmTrials trials_;
  SumOverRanks sum_over_ranks_;
  std::optional<GradientHooks> hooks_;  // once someone wants to hear
};

}  // namespace

std::uint64_t dropout_seed(const Batch& batch, const StepKey& key) {
  return stream_seed(key.seed, static_cast<std::uint32_t>(batch.first_image),
                     static_cast<std::uint64_t>(key.step), Purpose::kDropout);
}

std::unique_ptr<Engine> make_eager_engine(Model& model, FlatParameters& parameters,
                                          const EagerOptions& options) {
  return std::make_unique<EagerEngine>(model, parameters, options);
}

}  // namespace yoke
