// apps/yoke/export.cpp: `yoke export`, weights for other programs.
#include "yoke/train/checkpoints/export.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/yoke/commands.h"
#include "apps/yoke/output_file.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/train/checkpoints/trained_model.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  fs::path source;
  std::string format;
  fs::path output;
  bool force = false;
};

int export_weights(const ExportOptions& options) {
  const auto format = weight_format(options.format, options.output);
  check_output("--out", options.output, options.force);
  const auto trained = read_trained_model(options.source);
  write_weights(options.output, format, trained.tensors, trained.metadata);
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : trained.tensors) elements += tensor.numel();
  fmt::print("wrote {}: {} tensors, {} numbers, {}, from {}\n", options.output.string(),
             trained.tensors.size(), elements,
             format_bytes(static_cast<std::int64_t>(fs::file_size(options.output))),
             trained.source.string());
  return 0;
}

}  // namespace

void add_export_command(CLI::App& program, Run& run) {
  auto* const command =
      program.add_subcommand("export", "Write the weights of a checkpoint for other programs");
  const auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("checkpoint", options->source,
                   "A run directory (its final weights, otherwise its newest good checkpoint), its "
                   "checkpoints folder, or one checkpoint")
      ->type_name("PATH")
      ->required();
  command
      ->add_option("--format", options->format,
                   "safetensors, or pt: a dict of tensors for Python's torch.load; by default what "
                   "the ending of --out says")
      ->check(CLI::IsMember({"safetensors", "pt"}));
  command->add_option("-o,--out,--output", options->output, "The file to write")
      ->type_name("FILE")
      ->required();
  command->add_flag("--force", options->force, "Replace --out if it exists");
  command->callback([&run, options] { run = [options] { return export_weights(*options); }; });
}

}  // namespace yoke
