#include "yoke/parallel/workers/shared_vector.h"

#include <array>
#include <bit>

#include "yoke/comm/communicators/common_memory.h"

namespace yoke {
namespace {

using Pair = std::array<float, 2>;

/// Calls visit(word, index, count) for each word: of two numbers, the last perhaps of one.
template <typename Visit>
void for_each_word(std::int64_t elements, const Visit& visit) {
  for (std::int64_t i = 0; i + 1 < elements; i += 2) visit(i / 2, i, 2);
  if (elements % 2 == 1) visit(elements / 2, elements - 1, 1);
}

}  // namespace

SharedVector::SharedVector(const Group& group, std::int64_t elements)
    : elements_(elements),
      memory_(common_memory(group, "hogwild",
                            static_cast<std::size_t>((elements + 1) / 2) * sizeof(Word))),
      words_(reinterpret_cast<Word*>(memory_.get())) {}

void SharedVector::set(const torch::Tensor& values) {
  const auto* const from = values.data_ptr<float>();
  for_each_word(elements_, [&](std::int64_t word, std::int64_t i, int count) {
    const Pair pair = {from[i], count == 2 ? from[i + 1] : 0};
    words_[word].store(std::bit_cast<std::uint64_t>(pair), std::memory_order_relaxed);
  });
}

void SharedVector::read(const torch::Tensor& values, const torch::Tensor& before) const {
  auto* const a = values.data_ptr<float>();
  auto* const b = before.data_ptr<float>();
  for_each_word(elements_, [&](std::int64_t word, std::int64_t i, int count) {
    const auto pair = std::bit_cast<Pair>(words_[word].load(std::memory_order_relaxed));
    a[i] = b[i] = pair[0];
    if (count == 2) a[i + 1] = b[i + 1] = pair[1];
  });
}

void SharedVector::add(const torch::Tensor& values, const torch::Tensor& before) {
  const auto* const to = values.data_ptr<float>();
  const auto* const from = before.data_ptr<float>();
  for_each_word(elements_, [&](std::int64_t word, std::int64_t i, int count) {
    const Pair change = {to[i] - from[i], count == 2 ? to[i + 1] - from[i + 1] : 0};
    if (change[0] == 0 && change[1] == 0) return;  // others' words are theirs
    auto pair = std::bit_cast<Pair>(words_[word].load(std::memory_order_relaxed));
    pair[0] += change[0];
    pair[1] += change[1];
    words_[word].store(std::bit_cast<std::uint64_t>(pair), std::memory_order_relaxed);
  });
}

}  // namespace yoke
