// yoke/models/script_module.h: a TorchScript module as one of torch::nn.
#pragma once
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace yoke {

/// One module of TorchScript, with those below it: its parameters and buffers are the same tensors,
/// by the same names, so that what moves or replaces their memory does so in the script.
class ScriptPart : public torch::nn::Module {
 public:
  explicit ScriptPart(torch::jit::Module script);
  void train(bool on = true) override;

 protected:
  torch::jit::Module script_;
};

/// A whole network. Its operators run one after another, in the way of modules written in C++:
/// hooks of the engines reach them, and the tracer records them. LibTorch's own executor of scripts
/// would rewrite them as it learns of their inputs.
class ScriptNetwork final : public ScriptPart {
 public:
  /// @throws Error unless its `forward` takes one tensor and gives one.
  explicit ScriptNetwork(const torch::jit::Module& script);

  /// @throws Error in one line where the script fails, or is traced though its course depends on
  /// numbers in tensors.
  torch::Tensor forward(const torch::Tensor& images) const;

 private:
  std::string why_untraceable_;  // empty: it can be traced
  torch::jit::Code code_;
};

}  // namespace yoke
