#include "yoke/comm/tell_after_others.h"

#include <chrono>
#include <thread>

#include "yoke/core/error.h"

namespace yoke {

void tell_after_others(const std::function<void()>& work) {
  try {
    work();
  } catch (const CommError&) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    throw;
  }
}

}  // namespace yoke
