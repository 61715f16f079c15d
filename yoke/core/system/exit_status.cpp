#include "yoke/core/system/exit_status.h"

#include "yoke/core/error.h"

namespace yoke {

int exit_status_of(const std::exception& error) {
  if (dynamic_cast<const UnavailableError*>(&error) != nullptr) return kUnavailable;
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return kWrongUsage;
  return kFailed;
}

}  // namespace yoke
