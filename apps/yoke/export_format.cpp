#include "apps/yoke/export_format.h"

#include <utility>

namespace yoke {
namespace {

constexpr std::pair<std::string_view, ExportFormat> kEndings[] = {
    {".safetensors", ExportFormat::kSafetensors},
    {".pt", ExportFormat::kPt},
    {".pth", ExportFormat::kPt},
    {".ts", ExportFormat::kTorchscript},
    {".onnx", ExportFormat::kOnnx},
};

}  // namespace

ExportFormat export_format(const std::string& name, const std::filesystem::path& path) {
  if (!name.empty()) return parse_word<ExportFormat>("--format", name);
  const auto ending = path.extension().string();
  std::string known;
  for (const auto& [each, format] : kEndings) {
    if (ending == each) return format;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each);
  }
  throw UsageError(
      fmt::format("--out {}: its ending says no format; give a file that ends in one of {}, or "
                  "--format {}",
                  path.string(), known, words_of<ExportFormat>(", ")));
}

}  // namespace yoke
