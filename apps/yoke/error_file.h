// apps/yoke/error_file.h: why this rank failed, for whoever launched it.
#pragma once
#include <string>

namespace yoke {

/// Writes `message` as torchrun's error.json to the file that TORCHELASTIC_ERROR_FILE names; does
/// nothing where it is not set. Never throws.
void write_error_file(const std::string& message);

}  // namespace yoke
