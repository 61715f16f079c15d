// yoke/models/script_file.h: reads a module of TorchScript, and says what else a file is.
#pragma once
#include <torch/csrc/jit/api/module.h>

#include <filesystem>

namespace yoke {

/// The module of `file`, on the CPU. @throws UsageError where there is none, with what to do.
torch::jit::Module read_script(const std::filesystem::path& file);

/// The message of an error of LibTorch, without where in its code it came from, in one line.
std::string one_line(const std::exception& error);

}  // namespace yoke
