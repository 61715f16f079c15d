#include "yoke/comm/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace yoke {
namespace {

static_assert(sizeof(Signature) == 4 * sizeof(std::int64_t));  // as tensor() has it

std::string name_of_dtype(std::int64_t dtype) {
  switch (static_cast<torch::ScalarType>(dtype)) {
    case torch::kFloat32:
      return "fp32";
    case torch::kFloat64:
      return "fp64";
    case torch::kFloat16:
      return "fp16";
    case torch::kBFloat16:
      return "bf16";
    case torch::kInt64:
      return "int64";
    case torch::kInt32:
      return "int32";
    case torch::kUInt8:
      return "uint8";
    default:
      return fmt::format("numbers of dtype {}", dtype);
  }
}

/// Operations and the numbers of the ranks that do them.
std::string who_does_what(const std::vector<Signature>& by_rank, const std::vector<int>& numbers) {
  std::vector<Signature> different;
  for (const Signature& each : by_rank) {
    if (std::find(different.begin(), different.end(), each) == different.end()) {
      different.push_back(each);
    }
  }
  std::vector<std::string> words;
  for (const Signature& each : different) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      if (by_rank[rank] == each) ranks.push_back(numbers[rank]);
    }
    words.push_back(fmt::format("{} {}: {}", ranks.size() == 1 ? "rank" : "ranks",
                                fmt::join(ranks, ", "), each.str()));
  }
  return fmt::format("ranks do different operations; {}", fmt::join(words, "; "));
}

std::vector<int> numbers_from_0(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

std::string Signature::str() const {
  const auto given = static_cast<Collective>(kind);
  return fmt::format(
      "{} of {} {}{}", name_of(given), elements, name_of_dtype(dtype),
      given == Collective::kBroadcast ? fmt::format(" from rank {}", peer) : std::string());
}

torch::Tensor Signature::tensor() const {
  return torch::tensor({kind, dtype, elements, peer}, torch::kInt64);
}

Signature signature_of(const Operation& operation) {
  return {.kind = static_cast<std::int64_t>(operation.kind),
          .dtype = static_cast<std::int64_t>(operation.input.scalar_type()),
          .elements = operation.input.numel(),
          .peer = operation.kind == Collective::kBroadcast ? operation.peer : 0};
}

Mismatch::Mismatch(std::vector<Signature> by_rank)
    : CommError(who_does_what(by_rank, numbers_from_0(by_rank.size()))),
      by_rank_(std::move(by_rank)) {}

Mismatch Mismatch::of(const std::vector<int>& ranks) const {
  return by_rank_.empty() ? *this : Mismatch(who_does_what(by_rank_, ranks));
}

void check_same(const std::vector<Signature>& by_rank) {
  const auto differs = [&](const Signature& each) { return each != by_rank.front(); };
  if (std::any_of(by_rank.begin(), by_rank.end(), differs)) throw Mismatch(by_rank);
}

void check_same(const torch::Tensor& by_rank) {
  std::vector<Signature> signatures(static_cast<std::size_t>(by_rank.size(0)));
  std::memcpy(signatures.data(), by_rank.data_ptr(), by_rank.nbytes());
  check_same(signatures);
}

void check_sent(const Signature& sent, const Signature& received, int from) {
  if (sent.dtype == received.dtype && sent.elements == received.elements) return;
  throw Mismatch(fmt::format("rank {} sends {} {}, and this rank receives {} {}", from,
                             sent.elements, name_of_dtype(sent.dtype), received.elements,
                             name_of_dtype(received.dtype)));
}

}  // namespace yoke
