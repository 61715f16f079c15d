#include "yoke/export/torchscript.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/export.h>

#include "yoke/core/files/file.h"
#include "yoke/core/split.h"
#include "yoke/export/fold_batch_norm.h"
#include "yoke/export/inference_graph.h"

namespace yoke {
namespace {

using torch::jit::Module;

/// The modules on the way to a tensor, and its own name.
std::vector<std::string> path_of(const ExportedTensor& tensor) {
  const auto parts = split(tensor.name, '.');
  return {parts.begin(), parts.end()};
}

/// Builds the modules of a model and their method `forward`.
class ScriptBuilder {
 public:
  ScriptBuilder() : root_(make_module()) {}

  Module build(const InferenceGraph& inference) {
    for (const auto& tensor : inference.tensors) add(tensor);
    set_forward(inference);
    return root_;
  }

 private:
  Module make_module() const {
    Module module(c10::QualifiedName("__torch__.yoke.Module"), unit_, /*shouldMangle=*/true);
    // Python's train() and eval() set it.
    module.register_attribute("training", c10::BoolType::get(), false);
    return module;
  }

  void add(const ExportedTensor& tensor) {
    const auto path = path_of(tensor);
    Module module = root_;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      if (!module.hasattr(path[i])) module.register_module(path[i], make_module());
      module = module.attr(path[i]).toModule();
    }
    // A copy, for the file holds all of a tensor's storage, and views share a large one.
    module.register_parameter(path.back(),
                              tensor.values.to(torch::kCPU).clone(torch::MemoryFormat::Contiguous),
                              tensor.is_buffer);
  }

  /// The graph takes its tensors from the modules.
  void set_forward(const InferenceGraph& inference) {
    const auto graph = inference.graph->copy();
    auto* const self = graph->insertInput(0, "self");
    self->setType(root_.type());
    const torch::jit::WithInsertPoint first(*graph->nodes().begin());
    for (const auto& tensor : inference.tensors) {
      constexpr std::size_t kFirst = 2;  // after self and the images
      torch::jit::Value* value = self;
      for (const auto& name : path_of(tensor)) value = graph->insertGetAttr(value, name);
      graph->inputs()[kFirst]->replaceAllUsesWith(value);
      graph->eraseInput(kFirst);
    }
    root_.type()->addMethod(
        unit_->create_function(c10::QualifiedName(*root_.type()->name(), "forward"), graph));
  }

  std::shared_ptr<torch::jit::CompilationUnit> unit_ =
      std::make_shared<torch::jit::CompilationUnit>();
  Module root_;
};

}  // namespace

int write_torchscript(const std::filesystem::path& path, const Model& model,
                      const ExportOptions& options) {
  InferenceGraph inference = inference_graph(model);
  const int folded = options.fold_batch_norm ? fold_batch_norms(inference) : 0;
  std::string archive;
  torch::jit::ExportModule(ScriptBuilder().build(inference),
                           [&](const void* bytes, std::size_t size) {
                             archive.append(static_cast<const char*>(bytes), size);
                             return size;
                           },
                           {options.metadata.begin(), options.metadata.end()});
  write_file(path, archive);
  return folded;
}

}  // namespace yoke
