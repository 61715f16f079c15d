// What reads a stranger's bytes reads them or refuses them, whatever they are. `make fuzz` goes on
// where this ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/target.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke::test {
namespace {

class EveryReader : public testing::TestWithParam<std::string> {
 protected:
  const FuzzTarget& target() const {
    const auto& all = fuzz_targets();
    return *std::find_if(all.begin(), all.end(),
                         [this](const FuzzTarget& each) { return each.name == GetParam(); });
  }
};

TEST_P(EveryReader, ReadsItsSeeds) {
  for (const auto& seed : target().seeds) EXPECT_NO_THROW(target().read(seed));
}

TEST_P(EveryReader, ReadsOrRefusesEveryBeginning) {
  for (const auto& seed : target().seeds) {
    const auto step = std::max<std::size_t>(1, seed.size() / 200);
    for (std::size_t size = 0; size < seed.size(); size += step) {
      EXPECT_NO_THROW(reads(target(), seed.substr(0, size))) << size << " bytes";
    }
  }
}

TEST_P(EveryReader, ReadsOrRefusesWhatWasChanged) {
  const int rounds = long_tests() ? 100'000 : 1000;
  int changed = 0;
  for (int round = 0; round < rounds; ++round) {
    RandomStream random(1, 0, static_cast<std::uint64_t>(round), Purpose::kTest);
    const auto& seeds = target().seeds;
    const auto bytes = mutated(seeds, random);
    if (std::find(seeds.begin(), seeds.end(), bytes) == seeds.end()) ++changed;
    try {
      reads(target(), bytes);
    } catch (const std::exception& error) {
      const auto kept = std::filesystem::temp_directory_path() /
                        fmt::format("yoke-fuzz-{}-{}", target().name, round);
      write_file(kept, bytes);
      ADD_FAILURE() << "round " << round << ": " << error.what() << "; the bytes are in " << kept;
    }
  }
  EXPECT_GT(changed, rounds / 2);
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& target : fuzz_targets()) list.push_back(target.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryReader, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace yoke::test
