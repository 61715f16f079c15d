#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace yoke::test {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;

std::uint64_t extreme(RandomStream& random) {
  constexpr std::array<std::uint64_t, 12> kNumbers = {
      0,      1,          0x7f,       0x80,       0xff,       0x7fff,
      0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 62, ~0ULL};
  return kNumbers[random.below(kNumbers.size())];
}

/// Writes a number over 1, 2, 4 or 8 bytes, in either order.
void put_number(std::string& bytes, std::size_t at, RandomStream& random) {
  const auto size = std::min<std::size_t>(std::size_t{1} << random.below(4), bytes.size() - at);
  const auto value = extreme(random);
  const bool little = random.below(2) == 0;
  for (std::size_t i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<char>(value >> (8 * (little ? i : size - 1 - i)));
  }
}

/// Writes another number over the digits behind `at`, if any.
void put_digits(std::string& bytes, std::size_t at, RandomStream& random) {
  constexpr std::array<const char*, 10> kNumbers = {"0",
                                                    "-1",
                                                    "1e400",
                                                    "2147483648",
                                                    "-9223372036854775808",
                                                    "18446744073709551616",
                                                    "0.5",
                                                    "nan",
                                                    "",
                                                    "00000000000000000000001"};
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto first =
      std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), is_digit);
  const auto last = std::find_if_not(first, bytes.end(), is_digit);
  bytes.replace(first, last, kNumbers[random.below(kNumbers.size())]);
}

void change(std::string& bytes, const std::string& other, RandomStream& random) {
  const auto at = random.below(bytes.size());
  const auto length = 1 + random.below(32);
  switch (random.below(10)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 4:
      bytes.insert(at, length, static_cast<char>(random.below(256)));
      break;
    case 5:
      bytes.resize(at);
      break;
    case 6:
      put_number(bytes, at, random);
      break;
    case 7:
      put_digits(bytes, at, random);
      break;
    case 8:
      bytes.replace(at, length, other.substr(random.below(other.size()), length));
      break;
    default:
      for (auto times = random.below(200); times > 0; --times)
        bytes.insert(at, bytes.substr(at, 1));
      break;
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, RandomStream& random) {
  std::string bytes = seeds[random.below(seeds.size())];
  const auto& other = seeds[random.below(seeds.size())];
  for (auto changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
    change(bytes, other, random);
    bytes.resize(std::min(bytes.size(), kMostBytes));
  }
  return bytes;
}

}  // namespace yoke::test
