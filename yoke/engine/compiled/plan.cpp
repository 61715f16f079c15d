#include "yoke/engine/compiled/plan.h"

#include <algorithm>

namespace yoke::compiled {
namespace {

/// A cache line: what oneDNN wants its memory aligned to.
constexpr std::size_t kAlignment = 64;

std::size_t align(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool overlap(const Buffer& a, const Buffer& b) { return a.first <= b.last && b.first <= a.last; }

/// A buffer's place in the arena.
struct Place {
  const Buffer* buffer;
  std::size_t begin;
  std::size_t end() const { return begin + align(buffer->bytes); }
};

}  // namespace

// Greedy by size: the largest buffer first, each at the lowest address where nothing lies that
// lives at the same time (Pisarchyk and Lee 2020, "Efficient memory management for deep neural net
// inference", section 5.1).
void Plan::lay_out() {
  std::vector<Buffer*> order;
  for (auto& buffer : buffers_) order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(),
                   [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
  std::vector<Place> places;  // by address
  for (Buffer* buffer : order) {
    Place place{buffer, 0};
    for (const Place& other : places) {
      if (!overlap(*buffer, *other.buffer)) continue;
      if (place.end() <= other.begin) break;
      place.begin = std::max(place.begin, other.end());
    }
    buffer->offset = place.begin;
    bytes_ = std::max(bytes_, place.end());
    places.insert(
        std::upper_bound(places.begin(), places.end(), place,
                         [](const Place& a, const Place& b) { return a.begin < b.begin; }),
        place);
  }
}

void Plan::bind(std::byte* arena) {
  for (auto& buffer : buffers_) buffer.data = arena + buffer.offset;
  for (auto& [memory, buffer] : bindings_) memory.set_data_handle(buffer->data);
}

void Plan::set_input(const void* data) {
  // oneDNN has no memory objects of constant data; the plan only reads it.
  input_buffer_.data = static_cast<std::byte*>(const_cast<void*>(data));
  for (auto& memory : input_memories_) memory.set_data_handle(input_buffer_.data);
}

void Plan::run(const MicroBatch& micro) {
  set_input(micro.input);
  for (const Step& step : steps_) {
    step.run(micro);
    if (micro.completed == nullptr) continue;
    for (const ParameterId id : step.completes) (*micro.completed)(id);
  }
}

}  // namespace yoke::compiled
