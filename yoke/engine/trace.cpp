#include "yoke/engine/trace.h"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// Puts the buffers of a module (running statistics) and the CPU generator back when it goes.
class RestoreState {
 public:
  explicit RestoreState(const torch::nn::Module& module)
      : buffers_(module.buffers()), generator_(at::detail::getDefaultCPUGenerator()) {
    for (const auto& buffer : buffers_) values_.push_back(buffer.clone());
    generator_state_ = generator_.get_state();
  }
  ~RestoreState() {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(values_[i]);
    generator_.set_state(generator_state_);
  }
  RestoreState(const RestoreState&) = delete;
  RestoreState& operator=(const RestoreState&) = delete;

 private:
  std::vector<torch::Tensor> buffers_;
  std::vector<torch::Tensor> values_;
  at::Generator generator_;
  torch::Tensor generator_state_;
};

}  // namespace

std::shared_ptr<torch::jit::Graph> trace(const Model& model, const torch::Tensor& example) {
  const torch::NoGradGuard no_grad;
  const RestoreState restore(*model.module);
  // The tracer knows a tensor by its identity: whatever is on this stack becomes an input of the
  // graph wherever the module uses it, and any other tensor would become a constant.
  torch::jit::Stack inputs{example};
  std::vector<std::string> names{"input"};
  const auto add = [&](const torch::OrderedDict<std::string, torch::Tensor>& tensors) {
    for (const auto& item : tensors) {
      inputs.emplace_back(item.value());
      names.push_back(item.key());
    }
  };
  add(model.module->named_parameters());
  add(model.module->named_buffers());
  const auto run = [&model](const torch::jit::Stack& stack) {
    return torch::jit::Stack{model.forward(stack.front().toTensor())};
  };
  const auto no_name = [](const torch::Tensor&) { return std::string(); };
  try {
    return torch::jit::tracer::trace(inputs, run, no_name, /*strict=*/true,
                                     /*force_outplace=*/false, /*self=*/nullptr, names)
        .first->graph;
  } catch (const c10::Error& error) {
    throw Error(fmt::format("the model cannot be traced: {}", error.what_without_backtrace()));
  }
}

}  // namespace yoke
