#include "yoke/engine/compiled/plan.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

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
  share_buffers(sections_);
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

std::size_t Plan::bytes_at_once() const {
  if (sections_.size() == 1) return bytes_;
  std::size_t most = 0;
  for (const Section& section : sections_) {
    if (section.parts > 1) most = std::max(most, section.bytes_of_part());
  }
  return most;
}

void Plan::bind(std::byte* arena) {
  arena_ = arena;
  for (auto& buffer : buffers_) buffer.data = arena + buffer.offset;
  for (Section& section : sections_) {
    for (auto& [memory, buffer] : section.bindings) memory.set_data_handle(buffer->data);
  }
}

void Plan::set_input(const void* data) {
  // oneDNN has no memory objects of constant data; the plan only reads it.
  input_buffer_.data = static_cast<std::byte*>(const_cast<void*>(data));
  for (auto& memory : input_memories_) memory.set_data_handle(input_buffer_.data);
}

MicroBatch Plan::part_of(const MicroBatch& micro, std::int64_t part, std::int64_t parts) const {
  MicroBatch images = micro.from(batch_ / parts * part, input_.shape.elements(), classes_);
  images.part = part;
  images.accumulate = micro.accumulate || part > 0;
  images.last = micro.last && part + 1 == parts;
  if (part + 1 < parts) images.completed = nullptr;
  return images;
}

void Plan::walk(const MicroBatch& micro, const RunStep& run_step) {
  for (Section& section : sections_) {
    for (std::int64_t part = 0; part < section.parts; ++part) {
      const MicroBatch images = part_of(micro, part, section.parts);
      set_input(images.input);
      section.enter(arena_, part);
      for (std::size_t step = section.first; step < section.last; ++step) run_step(step, images);
    }
  }
}

std::string Step::name() const { return fmt::format("{} {}: {}", layer, word_of(pass), operation); }

void Plan::run(const MicroBatch& micro) {
  walk(micro, [this](std::size_t index, const MicroBatch& images) {
    const Step& step = steps_[index];
    {
      RECORD_USER_SCOPE(step.name());
      step.run(images);
    }
    if (images.completed == nullptr) return;
    for (const ParameterId id : step.completes) (*images.completed)(id);
  });
}

MicroBatch MicroBatch::from(std::int64_t images, std::int64_t image_elements,
                            std::int64_t classes) const {
  MicroBatch rest = *this;
  rest.input = static_cast<const float*>(input) + images * image_elements;
  if (target != nullptr) rest.target += images;
  if (other_target != nullptr) rest.other_target += images;
  if (other_share != nullptr) rest.other_share += images;
  if (losses != nullptr) rest.losses += images;
  rest.scores += images * classes;
  rest.first_image += images;
  return rest;
}

}  // namespace yoke::compiled
