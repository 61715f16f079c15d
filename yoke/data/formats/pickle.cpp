#include "yoke/data/formats/pickle.h"

#include <fmt/format.h>

#include <cstring>
#include <ranges>

#include "yoke/core/error.h"
#include "yoke/data/formats/pickle_document.h"
#include "yoke/data/formats/pickle_numpy.h"

namespace yoke {
namespace {

template <typename Integer>
std::vector<std::int64_t> widen(std::string_view bytes) {
  std::vector<std::int64_t> values;
  values.reserve(bytes.size() / sizeof(Integer));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Integer)) {
    Integer value;
    std::memcpy(&value, bytes.data() + at, sizeof(Integer));
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

std::vector<std::int64_t> widen(const PickleArray& array) {
  const bool is_signed = array.kind == 'i';
  switch (array.item_bytes) {
    case 1:
      return is_signed ? widen<std::int8_t>(array.bytes) : widen<std::uint8_t>(array.bytes);
    case 2:
      return is_signed ? widen<std::int16_t>(array.bytes) : widen<std::uint16_t>(array.bytes);
    case 4:
      return is_signed ? widen<std::int32_t>(array.bytes) : widen<std::uint32_t>(array.bytes);
    default:
      return widen<std::int64_t>(array.bytes);
  }
}

[[noreturn]] void wrong_type(const pickle::Document& document, const std::string& expected,
                             const std::string& found) {
  throw Error(fmt::format("{}: {} found in the pickle where {} is expected", document.source, found,
                          expected));
}

}  // namespace

std::string PickleValue::type() const { return pickle::type_name(document_->values[index_]); }

std::int64_t PickleValue::integer() const {
  const auto& value = document_->values[index_];
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? 1 : 0;
  wrong_type(*document_, "an int", type());
}

double PickleValue::number() const {
  if (const auto* number = std::get_if<double>(&document_->values[index_])) return *number;
  return static_cast<double>(integer());
}

std::string_view PickleValue::text() const {
  const auto* text = std::get_if<pickle::Text>(&document_->values[index_]);
  if (text == nullptr) wrong_type(*document_, "text", type());
  return text->bytes;
}

std::vector<PickleValue> PickleValue::items() const {
  const auto& value = document_->values[index_];
  const auto* list = std::get_if<pickle::List>(&value);
  const auto* tuple = std::get_if<pickle::Tuple>(&value);
  if (list == nullptr && tuple == nullptr) wrong_type(*document_, "a list", type());
  std::vector<PickleValue> items;
  for (const auto index : list != nullptr ? list->items : tuple->items) {
    items.emplace_back(*document_, index);
  }
  return items;
}

std::vector<std::int64_t> PickleValue::integers() const {
  if (const auto* array = std::get_if<PickleArray>(&document_->values[index_])) {
    if (array->kind != 'f') return widen(*array);
    wrong_type(*document_, "an array of integers", "one of floating-point numbers");
  }
  std::vector<std::int64_t> values;
  for (const auto& item : items()) values.push_back(item.integer());
  return values;
}

const PickleArray& PickleValue::array() const {
  const auto* array = std::get_if<PickleArray>(&document_->values[index_]);
  if (array == nullptr) wrong_type(*document_, "an array", type());
  return *array;
}

std::optional<PickleValue> PickleValue::find(std::string_view key) const {
  const auto* dict = std::get_if<pickle::Dict>(&document_->values[index_]);
  if (dict == nullptr) wrong_type(*document_, "a dict", type());
  for (const auto& [name, value] : std::views::reverse(dict->entries)) {
    const auto* text = std::get_if<pickle::Text>(&document_->values[name]);
    if (text != nullptr && text->bytes == key) return PickleValue(*document_, value);
  }
  return std::nullopt;
}

PickleValue PickleValue::at(std::string_view key) const {
  if (const auto found = find(key)) return *found;
  throw Error(fmt::format("{}: the dict in the pickle has no '{}'", document_->source, key));
}

Pickle::Pickle(std::string bytes, std::string source)
    : document_(std::make_unique<pickle::Document>()), size_bytes_(bytes.size()) {
  document_->bytes = std::move(bytes);
  document_->source = std::move(source);
  pickle::run(*document_, pickle::NumpyVocabulary());
}

Pickle Pickle::first(std::string bytes, std::string source) {
  Pickle pickle;
  pickle.document_ = std::make_unique<pickle::Document>();
  pickle.document_->bytes = std::move(bytes);
  pickle.document_->source = std::move(source);
  pickle.size_bytes_ = pickle::run_first(*pickle.document_, pickle::NumpyVocabulary());
  return pickle;
}

Pickle::~Pickle() = default;
Pickle::Pickle(Pickle&&) noexcept = default;
Pickle& Pickle::operator=(Pickle&&) noexcept = default;

PickleValue Pickle::root() const { return {*document_, document_->root}; }

}  // namespace yoke
