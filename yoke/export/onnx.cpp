#include "yoke/export/onnx.h"

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <limits>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/core/version.h"
#include "yoke/export/fold_batch_norm.h"
#include "yoke/export/inference_graph.h"
#include "yoke/export/onnx/lowering.h"

namespace yoke {
namespace {

/// Before anything is copied.
void refuse_large(const InferenceGraph& inference) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // of protobuf
  constexpr std::int64_t kGraph = 16 << 20;  // ample for all that is no weights
  std::int64_t bytes = 0;
  for (const auto& tensor : inference.tensors) {
    bytes += tensor.values.numel() * static_cast<std::int64_t>(tensor.values.element_size());
  }
  if (bytes <= kMost - kGraph) return;
  throw UsageError(
      fmt::format("the weights are {}, but an ONNX file holds 2 GB; export the model as "
                  "TorchScript (model.ts), which has no such limit",
                  format_bytes(bytes)));
}

onnx::ModelProto to_onnx(const InferenceGraph& inference, const ExportOptions& options) {
  onnx::ModelProto model;
  model.set_ir_version(onnx_export::kIrVersion);
  model.add_opset_import()->set_version(onnx_export::kOpset);
  model.set_producer_name("yoke");
  model.set_producer_version(kVersion);
  for (const auto& [key, text] : options.metadata) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(text);
  }
  model.mutable_graph()->set_name("model");
  onnx_export::Lowering(inference, *model.mutable_graph()).run();
  return model;
}

}  // namespace

int write_onnx(const std::filesystem::path& path, const Model& model,
               const ExportOptions& options) {
  InferenceGraph inference = inference_graph(model);
  refuse_large(inference);
  const int folded = options.fold_batch_norm ? fold_batch_norms(inference) : 0;
  const onnx::ModelProto proto = to_onnx(inference, options);
  try {
    onnx::checker::check_model(proto);
  } catch (const std::exception& error) {
    throw Error(fmt::format("the model became no valid ONNX, a bug of Yoke: {}", error.what()));
  }
  write_file(path, proto.SerializeAsString());
  return folded;
}

}  // namespace yoke
