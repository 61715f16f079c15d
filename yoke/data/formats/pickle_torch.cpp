#include "yoke/data/formats/pickle_torch.h"

#include <array>

#include "yoke/data/formats/value_reader.h"

namespace yoke::pickle {
namespace {

constexpr std::size_t kLongestRecord = 32;  // torch numbers its records

struct KnownStorage {
  std::string_view name;
  c10::ScalarType dtype;
};

constexpr std::array kKnownStorages = {
    KnownStorage{"DoubleStorage", c10::kDouble}, KnownStorage{"FloatStorage", c10::kFloat},
    KnownStorage{"HalfStorage", c10::kHalf},     KnownStorage{"BFloat16Storage", c10::kBFloat16},
    KnownStorage{"LongStorage", c10::kLong},     KnownStorage{"IntStorage", c10::kInt},
    KnownStorage{"ShortStorage", c10::kShort},   KnownStorage{"CharStorage", c10::kChar},
    KnownStorage{"ByteStorage", c10::kByte},     KnownStorage{"BoolStorage", c10::kBool}};

/// Of _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks), or before PyTorch
/// 0.4 _rebuild_tensor(), its first four. Whether the numbers fit each other is looked at in
/// read_state_dict().
Tensor make_tensor(const ValueReader& reader, const Tuple& arguments) {
  reader.item<Storage>(arguments, 0, "the storage of a tensor");
  reader.item<Tuple>(arguments, 2, "the shape of a tensor");
  reader.item<Tuple>(arguments, 3, "the strides of a tensor");
  return {.storage = arguments.items[0],
          .shape = arguments.items[2],
          .strides = arguments.items[3],
          .offset = reader.item<std::int64_t>(arguments, 1, "the offset of a tensor")};
}

/// Of pairs, as Python 2 writes it; else empty, and filled later.
Dict make_dict(const ValueReader& reader, const Tuple& arguments) {
  Dict dict;
  if (arguments.items.empty()) return dict;
  const auto* pairs = std::get_if<List>(&reader.value(arguments.items[0]));
  if (pairs == nullptr) reader.fail("the pickle makes an OrderedDict of something else than pairs");
  for (const Index index : pairs->items) {
    const List& pair = reader.get<List>(reader.value(index), "an entry of a dict");
    if (pair.items.size() != 2) reader.fail("the pickle has a key without a value");
    dict.entries.emplace_back(pair.items[0], pair.items[1]);
  }
  return dict;
}

}  // namespace

Value TorchVocabulary::find(const Document& document, std::string_view module,
                            std::string_view name) const {
  if (module == "collections" && name == "OrderedDict") return Function::kOrderedDict;
  if (module == "torch._utils" && (name == "_rebuild_tensor_v2" || name == "_rebuild_tensor")) {
    return Function::kTensor;
  }
  if (module == "torch._utils" && name == "_rebuild_parameter") return Function::kParameter;
  for (const auto& known : kKnownStorages) {
    if (module == "torch" && name == known.name) return StorageClass{known.dtype};
  }
  throw Error(
      fmt::format("{}: the pickle wants '{}.{}', which is not allowed: only dicts of tensors are "
                  "read; save such a one in Python: torch.save(model.state_dict(), 'FILE')",
                  document.source, module.substr(0, 100), name.substr(0, 100)));
}

Value TorchVocabulary::call(Document& document, Function function, const Tuple& arguments) const {
  const ValueReader reader(document);
  switch (function) {
    case Function::kOrderedDict:
      return make_dict(reader, arguments);
    case Function::kTensor:
      return make_tensor(reader, arguments);
    case Function::kParameter:
      return reader.item<Tensor>(arguments, 0, "the tensor of a parameter");
    default:
      reader.fail("the pickle calls a function of numpy's");
  }
}

// A state dict's attribute is `_metadata`, the versions of its modules.
void TorchVocabulary::build(const Document& document, Value& target, const Value& state) const {
  const ValueReader reader(document);
  reader.get<Dict>(target, "an object with a state");
  reader.get<Dict>(state, "the attributes of a dict");
}

Value TorchVocabulary::refer(const Document& document, const Value& id) const {
  const ValueReader reader(document);
  const Tuple& parts = reader.get<Tuple>(id, "a reference to a storage");
  if (reader.item<Text>(parts, 0, "the kind of a reference").bytes != "storage") {
    reader.fail("the pickle refers to something else than a storage");
  }
  const auto record = reader.item<Text>(parts, 2, "the record of a storage").bytes;
  if (record.size() > kLongestRecord) reader.fail("the pickle has a storage of too long a name");
  if (parts.items.size() > 5) {  // before PyTorch 1.6
    reader.item<None>(parts, 5, "the part of a storage; only whole ones are read");
  }
  return Storage{.dtype = reader.item<StorageClass>(parts, 1, "the class of a storage").dtype,
                 .record = record,
                 .elements = reader.item<std::int64_t>(parts, 4, "the size of a storage")};
}

}  // namespace yoke::pickle
