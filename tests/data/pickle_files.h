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
                                 std::string_view pixels, std::string_view key = "labels") {
  std::string bytes = std::string("\x80\2}q\1(") + python2_string("batch_label") + "q\2" +
                      python2_string("a batch") + python2_string(key) + "]q\3(";
  for (const int label : labels) bytes.append({'K', static_cast<char>(label)});
  return bytes + "e" + python2_string("data") + python2_array(labels.size(), columns, pixels) +
         "u.";
}

/// What Python 3 writes in protocol 2: bytes as a string to be encoded.
inline std::string protocol2_batch() {
  using namespace std::string_literals;
  return "\x80\2}q\0(X\4\0\0\0dataq\1cnumpy.core.multiarray\n_reconstruct\nq\2cnumpy\nndarray\nq\3"
         "K\0\x85q\4c_codecs\nencode\nq\5X\1\0\0\0bq\6X\6\0\0\0latin1q\7\x86q\10Rq\11\x87q\12Rq\13("
         "K\1"
         "K\1K\3\x86q\14cnumpy\ndtype\nq\15X\2\0\0\0u1q\16\x89\x88\x87q\17Rq\20(K\3X\1\0\0\0|"
         "q\21NNN"
         "J\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tq\22b\x89h\5X\4\0\0\0a\xc3\xbf"
         "bq\23h\7\x86q\24Rq\25tq\26b"
         "X\6\0\0\0labelsq\27]q\30K\5au."s;
}

}  // namespace yoke::test
