// tests/data/legacy_files.h: `.pt` files, written by hand as torch.save did before 1.6.
#pragma once
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/data/torch_files.h"

namespace yoke::test {

/// The numbers 0 to `count` - 1, of 32 bits each.
inline std::string floats_up_to(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.F);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

struct LegacyStorage {
  std::string name;
  std::int64_t elements;
  std::string bytes;
};

struct LegacyFile {
  std::int64_t version = 1001;
  std::string little_endian = "\x88";  // True
  std::string dict = pickled_dict({{"x", PickledTensor().bytes()}});
  std::vector<LegacyStorage> storages = {{"0", 6, floats_up_to(6)}};

  std::string bytes() const {
    std::string names = "](", numbers;
    for (const auto& storage : storages) {
      names += python3_string(storage.name);
      numbers += little_endian_bytes(storage.elements) + storage.bytes;
    }
    return pickle_of(
               "\x8a\nl\xfc\x9c"
               "F\xf9 j\xa8P\x19") +
           pickle_of(python3_int(version)) +
           pickle_of("}(" + python3_string("protocol_version") + python3_int(version) +
                     python3_string("little_endian") + little_endian + "u") +
           pickle_of(dict) + pickle_of(names + "e") + numbers;
  }

 private:
  static std::string little_endian_bytes(std::int64_t value) {
    return test::little_endian(static_cast<std::uint64_t>(value), 8);
  }
};

}  // namespace yoke::test
