#include "yoke/engine/eager/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace yoke {
namespace {

namespace autocast = at::autocast;

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
using autocast::get_autocast_dtype, autocast::is_autocast_enabled;
using autocast::set_autocast_dtype, autocast::set_autocast_enabled;
#else
bool on_gpu(torch::DeviceType device) { return device == torch::kCUDA; }

bool is_autocast_enabled(torch::DeviceType device) {
  return on_gpu(device) ? autocast::is_enabled() : autocast::is_cpu_enabled();
}

void set_autocast_enabled(torch::DeviceType device, bool enabled) {
  on_gpu(device) ? autocast::set_enabled(enabled) : autocast::set_cpu_enabled(enabled);
}

torch::ScalarType get_autocast_dtype(torch::DeviceType device) {
  return on_gpu(device) ? autocast::get_autocast_gpu_dtype() : autocast::get_autocast_cpu_dtype();
}

void set_autocast_dtype(torch::DeviceType device, torch::ScalarType type) {
  on_gpu(device) ? autocast::set_autocast_gpu_dtype(type) : autocast::set_autocast_cpu_dtype(type);
}
#endif

}  // namespace

Autocast::Autocast(torch::DeviceType device, torch::ScalarType type)
    : device_(device),
      type_before_(get_autocast_dtype(device)),
      enabled_before_(is_autocast_enabled(device)),
      cached_before_(autocast::is_autocast_cache_enabled()) {
  set_autocast_dtype(device, type);
  set_autocast_enabled(device, true);
  autocast::set_autocast_cache_enabled(false);
}

Autocast::~Autocast() {
  autocast::set_autocast_cache_enabled(cached_before_);
  set_autocast_enabled(device_, enabled_before_);
  set_autocast_dtype(device_, type_before_);
}

}  // namespace yoke
