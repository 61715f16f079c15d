// yoke/engine/eager/autocast.h: LibTorch's automatic casts to 16 bits.
#pragma once
#include <torch/types.h>

namespace yoke {

/// While it lives, this thread's operators on `device` that autocast knows to be safe compute in
/// `type`: products and convolutions, above all. Weights are cast anew at each use: a cache, which
/// threads would share, gains nothing where a model uses each weight once.
class Autocast {
 public:
  /// `type` is one of 16 bits; on processors bf16.
  Autocast(torch::DeviceType device, torch::ScalarType type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const torch::DeviceType device_;
  const torch::ScalarType type_before_;
  const bool enabled_before_, cached_before_;
};

}  // namespace yoke
