// tests/support/script_models.h: files of TorchScript.
#pragma once
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/models/model.h"

namespace yoke::test {

/// Modules of TorchScript, in one unit of code.
class ScriptMaker {
 public:
  /// An empty one.
  torch::jit::Module module(const std::string& name) const {
    torch::jit::Module made(c10::QualifiedName("__torch__." + name), unit_, /*shouldMangle=*/true);
    made.register_attribute("training", c10::BoolType::get(), true);
    return made;
  }

  /// One with weights of these shape; biases have the first size.
  torch::jit::Module layer(const std::string& name, const std::vector<std::int64_t>& shape) const {
    torch::jit::Module made = module(name);
    std::int64_t inputs = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) inputs *= shape[i];
    made.register_parameter(
        "weight", (torch::randn(shape) / std::sqrt(static_cast<double>(inputs))).requires_grad_(),
        false);
    made.register_parameter("bias", (0.1 * torch::randn({shape.front()})).requires_grad_(), false);
    return made;
  }

  torch::jit::Module batch_norm(std::int64_t channels) const {
    torch::jit::Module made = module("Norm");
    made.register_parameter("weight", torch::ones({channels}).requires_grad_(), false);
    made.register_parameter("bias", torch::zeros({channels}).requires_grad_(), false);
    made.register_parameter("running_mean", torch::zeros({channels}), true);
    made.register_parameter("running_var", torch::ones({channels}), true);
    made.register_parameter("num_batches_tracked", torch::zeros({}, torch::kInt64), true);
    return made;
  }

 private:
  std::shared_ptr<torch::jit::CompilationUnit> unit_ =
      std::make_shared<torch::jit::CompilationUnit>();
};

/// What a conv_script() has.
struct ConvScript {
  std::int64_t channels = 1;
  std::int64_t classes = 10;
  bool batch_norm = true;
  double dropout = 0;
};

/// A convolution, batch norm, a pool and dropout before a linear layer: `conv`, `norm`, `head.fc`.
/// For images of 8x8 pixels or more.
inline torch::jit::Module conv_script(const ConvScript& chosen) {
  torch::manual_seed(7);
  const ScriptMaker maker;
  torch::jit::Module net = maker.module("Net"), head = maker.module("Head");
  net.register_module("conv", maker.layer("Conv", {6, chosen.channels, 3, 3}));
  if (chosen.batch_norm) net.register_module("norm", maker.batch_norm(6));
  head.register_module("fc", maker.layer("Linear", {chosen.classes, 6 * 4 * 4}));
  net.register_module("head", head);
  const std::string norm = R"(
  if self.norm.training:
    self.norm.num_batches_tracked.add_(1)
  x = torch.batch_norm(x, self.norm.weight, self.norm.bias, self.norm.running_mean,
                       self.norm.running_var, self.norm.training, 0.1, 1e-5, True)
)";
  net.define(R"(
def forward(self, x):
  x = torch.conv2d(x, self.conv.weight, self.conv.bias, [1, 1], [1, 1]))" +
             (chosen.batch_norm ? norm : "\n") + R"(
  x = torch.max_pool2d(torch.relu(x), [2, 2], [2, 2])
  x = torch.flatten(torch.adaptive_avg_pool2d(x, [4, 4]), 1)
  x = torch.dropout(x, )" +
             std::to_string(chosen.dropout) + R"(, self.training)
  return torch.linear(x, self.head.fc.weight, self.head.fc.bias)
)");
  return net;
}

/// The choice `script:file=...` of a file that is written there.
inline std::string script_choice(const torch::jit::Module& script,
                                 const std::filesystem::path& file) {
  script.save(file.string());
  return "script:" + Options::written(file.string());
}

}  // namespace yoke::test
