// yoke/train/checkpoints/export.h: weights as files that other programs read.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// Writes a `.pt` that Python's `torch.load` gives back as a dict of CPU tensors, also with its
/// `weights_only`. Replaces `path` atomically. @throws Error when writing fails.
void write_pt(const std::filesystem::path& path, const NamedTensors& tensors);

/// The formats of write_weights().
enum class WeightFormat { kSafetensors, kPt };

/// Writes `tensors` to `path`, replaced atomically; `metadata` is what a safetensors file says of
/// itself. @throws Error when writing fails.
void write_weights(const std::filesystem::path& path, WeightFormat format,
                   const NamedTensors& tensors, std::map<std::string, std::string> metadata = {});

}  // namespace yoke
