// tests/data/pickle_fuzz_test.cpp: pickles and `.pt` files that were damaged at random are read or
// refused, in memory that is linear in their size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/data/pickle_files.h"
#include "tests/data/torch_files.h"
#include "tests/support/support.h"
#include "yoke/core/random.h"
#include "yoke/data/formats/pickle.h"
#include "yoke/data/formats/pt.h"
#include "yoke/data/formats/state_dict.h"

namespace {

thread_local std::size_t allocated_bytes = 0;  // in all, freed or not

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  allocated_bytes += size;
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace yoke {
namespace {

using namespace std::string_literals;
using test::pickle_of;
using test::pickled_dict;
using test::PickledTensor;
using test::python3_string;
using ::testing::HasSubstr;

/// Calls `read`, which may throw Error with the word `file`, and checks what it allocates for an
/// input of `size` bytes: a value of a pickle takes 64 bytes, a tensor less than 1,000, and either
/// two bytes of the pickle at least.
template <typename Read>
bool survives(std::size_t size, const Read& read) {
  const auto before = allocated_bytes;
  bool good = true;
  try {
    read();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("file"));
    good = false;
  }
  EXPECT_LE(allocated_bytes - before, (1 << 17) + 1000 * size);
  return good;
}

/// Reads a pickle of numpy's and everything that a data set would ask of it.
bool try_batch(const std::string& bytes) {
  return survives(bytes.size(), [&] {
    const Pickle pickle(bytes, "file");
    pickle.root().at("labels").integers();
    const PickleArray& array = pickle.root().at("data").array();
    std::size_t sum = 0;
    for (const char byte : array.bytes) sum += static_cast<unsigned char>(byte);
    EXPECT_GE(sum, 0);
  });
}

/// Reads a pickle of torch's; no tensor that it gives leaves its record.
bool try_state_dict(const std::string& bytes) {
  return survives(bytes.size(), [&] {
    for (const auto& place : read_state_dict(bytes, "file")) {
      std::int64_t count = 1, last = place.offset;
      for (std::size_t i = 0; i < place.shape.size(); ++i) {
        count *= place.shape[i];
        last += (place.shape[i] - 1) * place.strides[i];
      }
      EXPECT_GE(place.offset, 0);
      EXPECT_TRUE(count == 0 || (count <= place.elements && last < place.elements));
    }
  });
}

/// Reads a `.pt` and every number in it.
bool try_file(const std::filesystem::path& path) {
  return survives(std::filesystem::file_size(path), [&] {
    for (const auto& [name, tensor] : read_pt(path)) tensor.to(torch::kFloat64).sum();
  });
}

std::vector<std::string> batches() {
  return {test::python2_batch({3, 0}, 2, "abcd"), test::protocol2_batch()};
}

/// With a memo, versions of modules, a parameter, and as a checkpoint.
std::vector<std::string> state_dicts() {
  const PickledTensor part{.offset = 1, .shape = {2, 2}, .strides = {1, 3}};
  const PickledTensor count{
      .record = "1", .elements = 1, .shape = {}, .strides = {}, .storage = "LongStorage"};
  const auto parameter =
      "ctorch._utils\n_rebuild_parameter\n" + part.bytes() + "\x88" + test::kOrderedDict + "\x87R";
  const auto dict = pickled_dict({{"a", PickledTensor().bytes() + "q\1"},
                                  {"b", "h\1"},
                                  {"c", parameter},
                                  {"count", count.bytes()}});
  const auto versions = '}' + python3_string("_metadata") + pickled_dict({}) + "sb";
  return {pickle_of(dict + versions),
          pickle_of(pickled_dict({{"epoch", "K\3"}, {"state_dict", dict}}))};
}

std::vector<test::ArchiveEntry> entries_of(const std::string& pickle) {
  return {{.name = "x/data.pkl", .content = pickle},
          {.name = "x/data/0", .content = std::string(24, 'a')},
          {.name = "x/data/1", .content = std::string(8, 'b')}};
}

std::string repeated(std::string_view piece, std::uint64_t times) {
  std::string bytes;
  for (; times > 0; --times) bytes += piece;
  return bytes;
}

/// One random change to a pickle: a byte, an opcode, a piece gone or repeated, the end cut off, a
/// huge length, deep nesting, or tuples of tuples through the memo.
std::string mutate(std::string bytes, RandomStream& random) {
  const std::string opcodes =
      "\x80\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x93\x94\x95\x96().012BCGJKMNQRTUX]abcdegh"
      "ijopqrstu}";
  const auto at = random.below(bytes.size());
  switch (random.below(9)) {
    case 0:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      bytes[at] = opcodes[random.below(opcodes.size())];
      break;
    case 2:
      bytes.insert(at, 1 + random.below(4), opcodes[random.below(opcodes.size())]);
      break;
    case 3:
      bytes.erase(at, 1 + random.below(8));
      break;
    case 4:
      bytes.insert(at, repeated(bytes.substr(at, 1 + random.below(64)), 1 + random.below(100)));
      break;
    case 5:
      bytes.resize(at);
      break;
    case 6:
      bytes.replace(at, 4 + 4 * random.below(2), 4 + 4 * random.below(2),
                    random.below(2) == 0 ? '\xff' : '\x7f');
      break;
    case 7:
      bytes.insert(at, repeated("]", 1000) + repeated("a", random.below(1000)));
      break;
    default:
      bytes.insert(at, "]q\2" + repeated("(h\2h\2h\2h\2h\2h\2h\2h\2tq\2", random.below(50)));
      break;
  }
  return bytes;
}

/// Calls `attempt` with damaged copies of `seeds`; some must be refused, and some still be read.
template <typename Attempt>
void fuzz(const std::vector<std::string>& seeds, std::uint64_t rounds, const Attempt& attempt) {
  std::uint64_t good = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    RandomStream random(1, 0, round, Purpose::kTest);
    std::string bytes = seeds[random.below(seeds.size())];
    for (std::uint64_t edits = 1 + random.below(4); edits > 0 && bytes.size() > 2; --edits) {
      bytes = mutate(bytes, random);
    }
    if (attempt(bytes)) ++good;
  }
  EXPECT_GT(good, 0);
  EXPECT_LT(good, rounds / 2);
}

TEST(PickleFuzz, SurvivesEveryDamagedByte) {
  for (const std::string& whole : batches()) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      try_batch(whole.substr(0, at));
      std::string damaged = whole;
      for (int value = 0; value < 256; ++value) {
        damaged[at] = static_cast<char>(value);
        try_batch(damaged);
      }
    }
  }
}

TEST(PickleFuzz, SurvivesRandomDamageToBatches) { fuzz(batches(), 20'000, try_batch); }

TEST(PickleFuzz, SurvivesRandomDamageToStateDicts) { fuzz(state_dicts(), 20'000, try_state_dict); }

TEST(PickleFuzz, SurvivesRandomDamageToThePicklesOfPtFiles) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "file.pt";
  fuzz(state_dicts(), 600, [&](const std::string& pickle) {
    write_zip(path, entries_of(pickle));
    return try_file(path);
  });
}

TEST(PickleFuzz, SurvivesRandomDamageToPtFiles) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "file.pt";
  write_zip(path, entries_of(state_dicts()[0]));
  std::vector<std::string> whole = {read_file(path)};
  fuzz(whole, 600, [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return try_file(path);
  });
}

TEST(PickleFuzz, BombsTakeNoMoreThanTheirSizeAllows) {
  // Tuples of tuples: 2^60 leaves, were they written out.
  const auto laughs = "]q\2" + repeated("(h\2h\2tq\2", 60);
  EXPECT_FALSE(try_state_dict(pickle_of(pickled_dict({{"x", laughs}}))));
  EXPECT_FALSE(try_batch("\x80\2" + laughs + "."));
  EXPECT_FALSE(try_state_dict("\x80\2" + repeated("]", 1'000'000) + "."));
  EXPECT_FALSE(try_state_dict("\x80\2" + repeated("(", 1'000'000) + "."));
  EXPECT_FALSE(try_state_dict("\x80\2" + repeated("Nr\xff\xff\xff\x7f", 1000) + "."));
  // One tensor made again and again of the same parts, each under a name of its own.
  const PickledTensor wide{.elements = 1,
                           .shape = std::vector<std::int64_t>(16, 1),
                           .strides = std::vector<std::int64_t>(16, 1)};
  std::string many = test::kOrderedDict + "(" + python3_string("x") + wide.bytes() + "q\1";
  for (int i = 0; i < 10'000; ++i) many += python3_string(std::to_string(i)) + "h\1";
  EXPECT_TRUE(try_state_dict(pickle_of(many + "u")));
  // A long name, of which there are many.
  const auto name = python3_string(std::string(100'000, 'x')) + "q\1";
  EXPECT_FALSE(try_state_dict(pickle_of(test::kOrderedDict + "(" + name + wide.bytes() + "q\2" +
                                        repeated("h\1h\2", 10'000) + "u")));
}

}  // namespace
}  // namespace yoke
