// yoke/launch/agent/error_file.h: why a rank failed, in torchrun's form, for whoever launched it.
#pragma once
#include <filesystem>
#include <string>

namespace yoke::launch {

/// What ranks write, and of torch's own programs what is there.
struct RankError {
  std::string message;
  double time = 0;  ///< Seconds since 1970 by the rank's clock; 0 where the file does not say.
};

/// @throws Error where it cannot be written.
void write_rank_error(const std::filesystem::path& path, const RankError& error);

/// @throws Error where it cannot be read; std::exception where it is not in torch's form.
RankError read_rank_error(const std::filesystem::path& path);

}  // namespace yoke::launch
