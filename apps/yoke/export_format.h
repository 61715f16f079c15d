// apps/yoke/export_format.h: the files that `yoke export` writes.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/core/enum_words.h"

namespace yoke {

enum class ExportFormat { kSafetensors, kPt, kTorchscript, kOnnx };

template <>
struct EnumWords<ExportFormat> {
  static constexpr std::string_view kWords[] = {"safetensors", "pt", "torchscript", "onnx"};
};

/// The format called `name`, or, where that is empty, the one of `path`'s ending (`.safetensors`,
/// `.pt` and `.pth`, `.ts`, `.onnx`). @throws UsageError on another name or ending.
ExportFormat export_format(const std::string& name, const std::filesystem::path& path);

}  // namespace yoke
