// yoke/export/torchscript.h: a model as a file that LibTorch runs without the model's code.
#pragma once
#include <filesystem>

#include "yoke/export/options.h"
#include "yoke/models/model.h"

namespace yoke {

/// Writes `model` in evaluation mode as a TorchScript archive, which Python's or C++'s
/// `torch::jit::load` reads: input fp32 [N, C, H, W], scores [N, classes], for any N. Its tensors
/// keep their names; the metadata are extra files. Replaces `path` atomically. Returns how many
/// batch norms were folded.
/// @throws Error when the model cannot be traced for any N, or writing fails.
int write_torchscript(const std::filesystem::path& path, const Model& model,
                      const ExportOptions& options = {});

}  // namespace yoke
