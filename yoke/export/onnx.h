// yoke/export/onnx.h: a model as a file that ONNX runtimes run.
#pragma once
#include <filesystem>

#include "yoke/export/options.h"
#include "yoke/models/model.h"

namespace yoke {

/// Writes `model` in evaluation mode as ONNX: `input` fp32 [N, C, H, W], `scores` [N, classes], for
/// any N, and the metadata as `metadata_props`. Replaces `path` atomically. Returns how many batch
/// norms were folded.
/// @throws UsageError that names the operator and its module where one is not in operators.def, or
/// the weights need more than the 2 GB of an ONNX file; Error when the model cannot be traced for
/// any N, or writing fails.
int write_onnx(const std::filesystem::path& path, const Model& model,
               const ExportOptions& options = {});

}  // namespace yoke
