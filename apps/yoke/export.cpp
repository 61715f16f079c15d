// apps/yoke/export.cpp: `yoke export`, a trained model for other programs.
#include "yoke/train/checkpoints/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/yoke/commands.h"
#include "apps/yoke/export_format.h"
#include "apps/yoke/output_file.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/export/onnx.h"
#include "yoke/export/torchscript.h"
#include "yoke/train/checkpoints/open_model.h"
#include "yoke/train/checkpoints/trained_model.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenExport {
  fs::path source;
  std::string format;
  fs::path output;
  bool fold_batch_norm = false;
  bool force = false;
};

std::string size_of(const fs::path& file) {
  return format_bytes(static_cast<std::int64_t>(fs::file_size(file)));
}

void export_weights(const GivenExport& given, WeightFormat format) {
  const auto trained = read_trained_model(given.source);
  write_weights(given.output, format, trained.tensors, trained.metadata);
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : trained.tensors) elements += tensor.numel();
  fmt::print("wrote {}: {} tensors, {} numbers, {}, from {}\n", given.output.string(),
             trained.tensors.size(), elements, size_of(given.output), trained.source.string());
}

/// A name per line, for readers without JSON; one that has two lines itself gets spaces.
std::string lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '\n', ' ');
    lines += (lines.empty() ? "" : "\n") + name;
  }
  return lines;
}

std::map<std::string, std::string> metadata_of(const ModelDescription& description) {
  auto metadata = to_metadata(description);
  metadata.emplace("classes", lines_of(description.data.class_names));
  return metadata;
}

using WriteModel = int (*)(const fs::path&, const Model&, const ExportOptions&);

void export_model(const GivenExport& given, WriteModel write) {
  const auto opened = open_model(given.source);
  const int folded = write(
      given.output, opened.model,
      {.fold_batch_norm = given.fold_batch_norm, .metadata = metadata_of(opened.description)});
  const auto& [channels, height, width] = opened.model.input;
  fmt::print("wrote {}: {}, input [N, {}, {}, {}], scores [N, {}], {}{}, from {}\n",
             given.output.string(), opened.description.model, channels, height, width,
             opened.description.data.classes(),
             given.fold_batch_norm ? fmt::format("{} batch norms folded, ", folded) : "",
             size_of(given.output), opened.weights.string());
}

int export_command(const GivenExport& given) {
  const auto format = export_format(given.format, given.output);
  const bool is_weights = format == ExportFormat::kSafetensors || format == ExportFormat::kPt;
  if (is_weights && given.fold_batch_norm) {
    throw UsageError(fmt::format(
        "--fold-batch-norm changes what a model computes, but {} holds weights alone; leave it "
        "out, or give --format torchscript or onnx",
        word_of(format)));
  }
  check_output("--out", given.output, given.force);
  switch (format) {
    case ExportFormat::kSafetensors:
      export_weights(given, WeightFormat::kSafetensors);
      break;
    case ExportFormat::kPt:
      export_weights(given, WeightFormat::kPt);
      break;
    case ExportFormat::kTorchscript:
      export_model(given, write_torchscript);
      break;
    case ExportFormat::kOnnx:
      export_model(given, write_onnx);
      break;
  }
  return 0;
}

}  // namespace

void add_export_command(CLI::App& program, Run& run) {
  auto* const command =
      program.add_subcommand("export", "Write a trained model, or its weights, for other programs");
  const auto options = std::make_shared<GivenExport>();
  command
      ->add_option("checkpoint", options->source,
                   "A run directory (its final weights, otherwise its newest good checkpoint), its "
                   "checkpoints folder, or one checkpoint")
      ->type_name("PATH")
      ->required();
  command
      ->add_option("--format", options->format,
                   "What to write; pt is a dict of tensors for Python's torch.load, torchscript a "
                   "model for torch.jit.load, onnx one for ONNX runtimes. By default what the "
                   "ending of --out says: .safetensors, .pt or .pth, .ts, .onnx")
      ->type_name(words_of<ExportFormat>("/"));
  command->add_option("-o,--out,--output", options->output, "The file to write")
      ->type_name("FILE")
      ->required();
  command->add_flag("--fold-batch-norm", options->fold_batch_norm,
                    "Of a model: make batch norms a part of the convolutions before them");
  command->add_flag("--force", options->force, "Replace --out if it exists");
  command->callback([&run, options] { run = [options] { return export_command(*options); }; });
}

}  // namespace yoke
