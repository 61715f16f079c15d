// yoke/data/formats/pickle.h: reads the pickles in which CIFAR-10 and the down-sampled ImageNet
// come.
//
// The format is that of Python's `pickletools`: a program for a small stack machine. This machine
// knows plain values, containers and numpy's arrays; whatever else a pickle names is an error, so
// that no file can make anything happen. Protocols 2 to 5, written by Python 2 or 3.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

namespace pickle {
struct Document;
}

/// An array of numpy's, as a view into its file; little-endian, in row-major order.
struct PickleArray {
  char kind = 0;                ///< As numpy's: `b` bool, `u` unsigned, `i` signed, `f` floating.
  std::int64_t item_bytes = 0;  ///< Of one value: 1, 2, 4 or 8.
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< item_bytes times the product of `shape`.
};

/// One value of a Pickle, which must outlive it. Each reading function throws Error, with the name
/// of the file, when the value is of another type.
class PickleValue {
 public:
  PickleValue(const pickle::Document& document, std::uint32_t index)
      : document_(&document), index_(index) {}

  std::int64_t integer() const;            ///< Of an int or a bool.
  double number() const;                   ///< Of a float, an int or a bool.
  std::string_view text() const;           ///< The bytes of a bytes object, or a string as UTF-8.
  std::vector<PickleValue> items() const;  ///< Of a list or a tuple.
  std::vector<std::int64_t> integers() const;  ///< Of a list, a tuple or an array of integers.
  const PickleArray& array() const;

  /// The value of the text `key` in a dict, or nothing.
  std::optional<PickleValue> find(std::string_view key) const;
  /// As find(), but throws Error when there is no such key.
  PickleValue at(std::string_view key) const;

  std::string type() const;  ///< For messages, e.g. "list".

 private:
  const pickle::Document* document_;
  std::uint32_t index_;
};

/// A pickle file and what it holds. Memory and time are linear in the size of the file.
class Pickle {
 public:
  /// Reads `bytes`; `source` names them in messages. @throws Error.
  Pickle(std::string bytes, std::string source);
  /// The one that `bytes` begins with.
  static Pickle first(std::string bytes, std::string source);
  ~Pickle();
  Pickle(Pickle&&) noexcept;
  Pickle& operator=(Pickle&&) noexcept;

  PickleValue root() const;
  std::size_t size_bytes() const { return size_bytes_; }  ///< Of the pickle alone.

 private:
  Pickle() = default;

  std::unique_ptr<pickle::Document> document_;
  std::size_t size_bytes_ = 0;
};

}  // namespace yoke
