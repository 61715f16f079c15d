#include "yoke/engine/eager/gradient_hooks.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace yoke {

namespace autograd = torch::autograd;

class GradientHooks::Hook final : public autograd::FunctionPostHook {
 public:
  Hook(GradientHooks& hooks, std::size_t parameter) : hooks_(hooks), parameter_(parameter) {}
  autograd::variable_list operator()(const autograd::variable_list& outputs,
                                     const autograd::variable_list&) override {
    hooks_.done(parameter_);
    return outputs;
  }

 private:
  GradientHooks& hooks_;
  const std::size_t parameter_;
};

GradientHooks::GradientHooks(torch::nn::Module& module, const FlatParameters& parameters)
    : parameters_(parameters), told_(parameters.slices().size()) {
  const auto tensors = module.parameters();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto accumulator = autograd::impl::grad_accumulator(tensors[i]);
    if (!accumulator) continue;  // frozen
    accumulator->add_post_hook(std::make_unique<Hook>(*this, i));
    accumulators_.push_back(accumulator);
  }
}

void GradientHooks::during(const GradientReady& ready, const std::function<void()>& backward) {
  ready_ = &ready;
  told_.assign(told_.size(), false);
  backward();
  for (std::size_t i = told_.size(); i-- > 0;) {
    if (!told_[i]) done(i);
  }
  ready_ = nullptr;
}

void GradientHooks::done(std::size_t parameter) {
  if (ready_ == nullptr) return;
  told_[parameter] = true;
  const auto& slice = parameters_.slices()[parameter];
  (*ready_)(slice.offset, slice.offset + slice.elements);
}

}  // namespace yoke
