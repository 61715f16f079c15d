#include "apps/yoke/error_file.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "yoke/core/files/file.h"

namespace yoke {

void write_error_file(const std::string& message) {
  const char* const path = std::getenv("TORCHELASTIC_ERROR_FILE");
  if (path == nullptr) return;
  using Seconds = std::chrono::duration<double>;
  const double now = Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const nlohmann::json json = {
      {"message",
       {{"message", message}, {"extraInfo", {{"timestamp", fmt::format("{:.6f}", now)}}}}}};
  try {
    write_file(path, json.dump() + "\n");
  } catch (const std::exception&) {  // the message is on standard error as well
  }
}

}  // namespace yoke
