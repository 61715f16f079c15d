#include "yoke/models/script_file.h"

#include <c10/util/Exception.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <string>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr const char* kHowToSave = "save a module by torch.jit.script(module).save('net.ts')";

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& why) {
  throw UsageError(fmt::format("{} {}", file.string(), why));
}

/// That it is an archive with code in it.
void check_archive(const std::filesystem::path& file) {
  bool has_code = false;
  try {
    const auto names = caffe2::serialize::PyTorchStreamReader(file.string()).getAllRecords();
    has_code = std::any_of(names.begin(), names.end(),
                           [](const std::string& name) { return name.starts_with("code/"); });
  } catch (const c10::Error&) {
    refuse_file(file, fmt::format("is no file of TorchScript, nor of PyTorch; {}", kHowToSave));
  }
  if (has_code) return;
  refuse_file(file, fmt::format("has no code in it: torch.save() wrote it, of a state dict or a "
                                "module of Python's; begin with such weights by --weights FILE and "
                                "the --model that they are of, or {}",
                                kHowToSave));
}

}  // namespace

torch::jit::Module read_script(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    refuse_file(file, fmt::format("is no file; give --model script:FILE.ts one that is there; {}. "
                                  "A run keeps a copy, which must stay beside its weights",
                                  kHowToSave));
  }
  check_archive(file);
  try {
    return torch::jit::load(file.string(), c10::kCPU);
  } catch (const std::exception& error) {
    refuse_file(file,
                fmt::format("cannot be read as TorchScript: {}; {}", one_line(error), kHowToSave));
  }
}

std::string one_line(const std::exception& error) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  text.erase(text.find_last_not_of(" \n.") + 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace yoke
