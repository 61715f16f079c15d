#include "yoke/models/script_module.h"

#include <c10/util/Flags.h>
#include <fmt/format.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/runtime/jit_exception.h>

#include <utility>

#include "yoke/core/error.h"
#include "yoke/models/script_graph.h"

C10_DECLARE_bool(torch_jit_enable_rethrow_caught_exception);

namespace yoke {
namespace {

torch::jit::Code code_of(const torch::jit::Module& script, std::string& why_untraceable) {
  const auto graph = forward_graph(script);
  why_untraceable = untraceable(*graph);
  return torch::jit::Code(graph, "forward");
}

/// What a hook throws inside a script, as of a lost peer, keeps its type; for the rest of the
/// process.
void keep_exceptions_once() {
  static const bool kept_in_process = FLAGS_torch_jit_enable_rethrow_caught_exception = true;
  static_cast<void>(kept_in_process);
}

}  // namespace

ScriptPart::ScriptPart(torch::jit::Module script) : script_(std::move(script)) {
  const auto& type = *script_.type();
  for (std::size_t i = 0; i < type.numAttributes(); ++i) {
    const std::string& name = type.getAttributeName(i);
    const c10::IValue value = script_._ivalue()->getSlot(i);
    if (type.getAttribute(i)->is_module()) {
      register_module(name, std::make_shared<ScriptPart>(torch::jit::Module(value.toObject())));
    } else if (value.isTensor() && type.is_parameter(i)) {
      register_parameter(name, value.toTensor(), value.toTensor().requires_grad());
    } else if (value.isTensor()) {
      register_buffer(name, value.toTensor());
    }
  }
}

void ScriptPart::train(bool on) {
  torch::nn::Module::train(on);
  if (script_.hasattr("training")) script_.setattr("training", on);
}

ScriptNetwork::ScriptNetwork(const torch::jit::Module& script)
    : ScriptPart(script), code_(code_of(script, why_untraceable_)) {
  keep_exceptions_once();
  train();
}

torch::Tensor ScriptNetwork::forward(const torch::Tensor& images) const {
  if (!why_untraceable_.empty() && torch::jit::tracer::isTracing()) {
    throw Error(fmt::format("the model cannot be traced: {}", why_untraceable_));
  }
  torch::jit::Stack stack{script_._ivalue(), images};
  script_.get_method("forward").function().getSchema().checkAndNormalizeInputs(stack);
  try {
    torch::jit::InterpreterState(code_).run(stack);
  } catch (const torch::jit::JITException& error) {  // `raise` of the script
    throw Error(fmt::format("the model's file says: {}", error.what()));
  }
  return stack.front().toTensor();
}

}  // namespace yoke
