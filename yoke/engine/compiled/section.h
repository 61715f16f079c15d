// yoke/engine/compiled/section.h: steps of a plan that go over the batch in parts of their own.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// A memory object that is pointed at its buffer once there is an arena.
struct Binding {
  dnnl::memory memory;
  Buffer* buffer;
};

/// Steps of a plan that go over the batch in equal parts: each part through all of them before the
/// next one. Layers that mix images need all of them at once; what lies between two such layers
/// does not, and in parts its activations are still near when they are read.
struct Section {
  std::size_t first = 0, last = 0;     ///< Steps [first, last).
  std::int64_t parts = 1;              ///< Of the batch.
  std::set<Buffer*> buffers = {};      ///< That its steps touch.
  std::vector<Binding> bindings = {};  ///< Of its steps.
  std::vector<Buffer*> shared = {};    ///< Found by share_buffers(): of the whole batch.
  std::vector<Binding> moving = {};    ///< Bindings to those.

  /// Points what its steps use at the pieces of `part`.
  void enter(std::byte* arena, std::int64_t part);
  /// That its steps touch for each.
  std::size_t bytes_of_part() const;
};

/// Lets buffers that several sections touch hold the whole batch for as long as these run: each
/// part has a piece of them. All others hold one part at a time.
void share_buffers(std::vector<Section>& sections);

}  // namespace yoke::compiled
