// tests/data/pickle_files.h: pickles written by hand, as Python 2 wrote those of CIFAR-10.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yoke::test {

/// `value` in `size` bytes, least significant first.
inline std::string little_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// A string as Python 2 pickled it.
inline std::string python2_string(std::string_view text) {
  std::string bytes = "T";
  return bytes.append(little_endian(text.size(), 4)).append(text);
}

/// An array of uint8 [rows, columns] as Python 2 pickled it.
inline std::string python2_array(std::uint64_t rows, std::uint64_t columns,
                                 std::string_view pixels) {
  using namespace std::string_literals;
  const std::string minus_one = "J\xff\xff\xff\xff";
  return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1"s + "J" +
         little_endian(rows, 4) + "J" + little_endian(columns, 4) +
         "\x86"s
         "cnumpy\ndtype\nU\2u1K\0K\1\x87R(K\3U\1|NNN"s +
         minus_one + minus_one + "K\0tb\x89"s + python2_string(pixels) + "tb";
}

/// A batch of CIFAR-10: a dict with `labels` and `data`, uint8 [labels, columns].
inline std::string python2_batch(const std::vector<int>& labels, std::uint64_t columns,
                                 std::string_view pixels) {
  std::string bytes = std::string("\x80\2}q\1(") + python2_string("batch_label") + "q\2" +
                      python2_string("a batch") + python2_string("labels") + "]q\3(";
  for (const int label : labels) bytes.append({'K', static_cast<char>(label)});
  return bytes + "e" + python2_string("data") + python2_array(labels.size(), columns, pixels) +
         "u.";
}

}  // namespace yoke::test
