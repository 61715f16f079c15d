// tests/engine/random_network.h: small networks drawn at random out of the operators that compile.
#pragma once
#include <cstdint>
#include <string>

#include "tests/engine/random_layers.h"
#include "yoke/models/model.h"

namespace yoke::test {

/// A model and its layers in words.
struct RandomNetwork {
  Model model;
  std::string text;
};

/// A network of ten classes for odd images, with operators that have no layers where `others`.
/// Equal arguments draw equal networks.
RandomNetwork draw_network(std::uint64_t seed, Norms norms, bool others = false);

}  // namespace yoke::test
