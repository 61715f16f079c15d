#include "yoke/data/formats/pickle_numpy.h"

#include <array>

#include "yoke/data/formats/value_reader.h"

namespace yoke::pickle {
namespace {

constexpr std::size_t kMostNumpyDimensions = 64;

struct KnownFunction {
  std::string_view module, name;
  Function function;
};

constexpr std::array kKnownFunctions = {
    KnownFunction{"numpy.core.multiarray", "_reconstruct", Function::kReconstruct},
    KnownFunction{"numpy._core.multiarray", "_reconstruct", Function::kReconstruct},
    KnownFunction{"numpy.core.numeric", "_frombuffer", Function::kFromBuffer},
    KnownFunction{"numpy._core.numeric", "_frombuffer", Function::kFromBuffer},
    KnownFunction{"numpy", "ndarray", Function::kArrayClass},
    KnownFunction{"numpy", "dtype", Function::kDataType},
    KnownFunction{"_codecs", "encode", Function::kEncode},
    KnownFunction{"__builtin__", "bytes", Function::kBytes},
};

class ArrayReader : public ValueReader {
 public:
  using ValueReader::ValueReader;

  DataType data_type(const Tuple& arguments) const {
    std::string_view spec = item<Text>(arguments, 0, "the name of a dtype").bytes;
    const std::string_view all = spec;
    const bool is_big_endian = spec.starts_with('>');
    if (is_big_endian || spec.starts_with('<') || spec.starts_with('|')) spec.remove_prefix(1);
    const bool known = spec == "b1" || spec == "f4" || spec == "f8" ||
                       (spec.size() == 2 && (spec[0] == 'u' || spec[0] == 'i') &&
                        std::string_view("1248").find(spec[1]) != std::string_view::npos);
    if (!known)
      fail(
          fmt::format("the pickle has an array of dtype '{}'; known are b1, u1, u2, u4, "
                      "u8, i1, i2, i4, i8, f4, f8",
                      all.substr(0, 100)));
    return {.kind = spec[0], .item_bytes = spec[1] - '0', .is_big_endian = is_big_endian};
  }

  // State of a dtype: (version, byte order, sub-array, names, fields, size, alignment, flags).
  void build_data_type(DataType& type, const Tuple& state) const {
    const std::string_view order = item<Text>(state, 1, "the byte order of a dtype").bytes;
    item<None>(state, 2, "the sub-array of a dtype");
    item<None>(state, 3, "the field names of a dtype");
    type.is_big_endian = order == ">";
  }

  // State of an array: (version, shape, dtype, whether column-major, bytes).
  void build_array(PickleArray& array, const Tuple& state) const {
    if (state.items.size() != 5) fail("the pickle has an array whose state is not of five parts");
    if (integer(document_.values[state.items[3]], "the order of an array") != 0) {
      fail("the pickle has an array in column-major order; only row-major order is read");
    }
    array = make_array(item<Text>(state, 4, "the bytes of an array"),
                       item<DataType>(state, 2, "the dtype of an array"),
                       item<Tuple>(state, 1, "the shape of an array"));
  }

  PickleArray make_array(const Text& bytes, const DataType& type, const Tuple& shape) const {
    if (type.is_big_endian && type.item_bytes > 1) {
      fail("the pickle has a big-endian array; only little-endian ones are read");
    }
    if (shape.items.size() > kMostNumpyDimensions)
      fail("the pickle has an array of too many dimensions");
    PickleArray array{
        .kind = type.kind, .item_bytes = type.item_bytes, .shape = {}, .bytes = bytes.bytes};
    std::int64_t size = type.item_bytes;
    for (const Index index : shape.items) {
      const auto length = integer(document_.values[index], "a dimension of an array");
      if (length < 0 || __builtin_mul_overflow(size, length, &size)) {
        fail("the pickle has an array whose dimensions overflow or are negative");
      }
      array.shape.push_back(length);
    }
    if (bytes.is_unicode || static_cast<std::uint64_t>(size) != bytes.bytes.size()) {
      fail(fmt::format("the pickle has an array of {} bytes with {} expected from its shape",
                       bytes.bytes.size(), size));
    }
    return array;
  }

  // Protocol 2 has no bytes; Python 3 writes them as a string of code points below 256.
  Text encode_latin1(Document& document, const Tuple& arguments) const {
    const Text& text = item<Text>(arguments, 0, "the string to encode");
    if (item<Text>(arguments, 1, "an encoding").bytes != "latin1" || !text.is_unicode) {
      fail("the pickle encodes something else than a string as latin1");
    }
    document.decoded_bytes += text.bytes.size();
    if (document.decoded_bytes > document.bytes.size()) {
      fail("the pickle encodes one string again and again");
    }
    document.decoded.push_back(latin1(text.bytes));
    return {.bytes = document.decoded.back(), .is_unicode = false};
  }

 private:
  std::string latin1(std::string_view utf8) const {
    std::string output(utf8.size(), '\0');
    std::size_t size = 0;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      auto byte = static_cast<unsigned char>(utf8[i]);
      if (byte >= 0x80) {
        ++i;
        if ((byte != 0xC2 && byte != 0xC3) || i == utf8.size() || (utf8[i] & 0xC0) != 0x80) {
          fail("the pickle has a string that is no bytes in latin1");
        }
        byte = static_cast<unsigned char>((byte << 6) | (utf8[i] & 0x3F));
      }
      output[size++] = static_cast<char>(byte);
    }
    output.resize(size);
    output.shrink_to_fit();
    return output;
  }
};

}  // namespace

Value NumpyVocabulary::find(const Document& document, std::string_view module,
                            std::string_view name) const {
  for (const auto& known : kKnownFunctions) {
    if (known.module == module && known.name == name) return known.function;
  }
  throw Error(
      fmt::format("{}: the pickle wants '{}.{}', which is not allowed: only plain values "
                  "and numpy's arrays are read",
                  document.source, module.substr(0, 100), name.substr(0, 100)));
}

Value NumpyVocabulary::call(Document& document, Function function, const Tuple& arguments) const {
  const ArrayReader reader(document);
  switch (function) {
    case Function::kReconstruct:
      if (reader.item<Function>(arguments, 0, "the class of an array") != Function::kArrayClass) {
        reader.fail("the pickle has an array that is no numpy.ndarray");
      }
      return PickleArray{};
    case Function::kFromBuffer:
      if (reader.item<Text>(arguments, 3, "the order of an array").bytes != "C") {
        reader.fail("the pickle has an array in column-major order; only row-major order is read");
      }
      return reader.make_array(reader.item<Text>(arguments, 0, "the bytes of an array"),
                               reader.item<DataType>(arguments, 1, "the dtype of an array"),
                               reader.item<Tuple>(arguments, 2, "the shape of an array"));
    case Function::kDataType:
      return reader.data_type(arguments);
    case Function::kEncode:
      return reader.encode_latin1(document, arguments);
    case Function::kBytes:  // what protocol 2 has for b''
      if (!arguments.items.empty()) reader.fail("the pickle makes bytes of something");
      return Text{};
    default:
      reader.fail("the pickle calls numpy.ndarray, which is not allowed");
  }
}

void NumpyVocabulary::build(const Document& document, Value& target, const Value& state) const {
  const ArrayReader reader(document);
  const Tuple& parts = reader.get<Tuple>(state, "a state");
  if (auto* array = std::get_if<PickleArray>(&target)) {
    reader.build_array(*array, parts);
  } else if (auto* type = std::get_if<DataType>(&target)) {
    reader.build_data_type(*type, parts);
  } else {
    reader.fail(fmt::format("the pickle gives a state to {}", type_name(target)));
  }
}

Value NumpyVocabulary::refer(const Document& document, const Value&) const {
  ArrayReader(document).fail("the pickle refers to something outside of it, which is not allowed");
}

}  // namespace yoke::pickle
