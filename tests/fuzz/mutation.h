// tests/fuzz/mutation.h: damage to bytes, drawn.
#pragma once
#include <string>
#include <vector>

#include "yoke/core/random.h"

namespace yoke::test {

/// One of `seeds` with one to four changes: bits, bytes, pieces that are gone, repeated, exchanged
/// or another seed's, the end cut off, numbers of extreme value in binary and in digits.
std::string mutated(const std::vector<std::string>& seeds, RandomStream& random);

}  // namespace yoke::test
