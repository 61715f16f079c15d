// yoke/data/formats/pickle_torch.h: the names in pickles of PyTorch's state dicts.
#pragma once
#include "yoke/data/formats/pickle_vocabulary.h"

namespace yoke::pickle {

/// Knows OrderedDict, tensors, parameters, and storages, which lie in other records of the archive.
class TorchVocabulary final : public Vocabulary {
 public:
  Value find(const Document& document, std::string_view module,
             std::string_view name) const override;
  Value call(Document& document, Function function, const Tuple& arguments) const override;
  void build(const Document& document, Value& target, const Value& state) const override;
  Value refer(const Document& document, const Value& id) const override;
};

}  // namespace yoke::pickle
