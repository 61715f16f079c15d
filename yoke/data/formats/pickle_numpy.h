// yoke/data/formats/pickle_numpy.h: the names in pickles of numpy's arrays.
#pragma once
#include "yoke/data/formats/pickle_vocabulary.h"

namespace yoke::pickle {

/// Knows what makes numpy's arrays and, in protocol 2, bytes.
class NumpyVocabulary final : public Vocabulary {
 public:
  Value find(const Document& document, std::string_view module,
             std::string_view name) const override;
  Value call(Document& document, Function function, const Tuple& arguments) const override;
  void build(const Document& document, Value& target, const Value& state) const override;
  Value refer(const Document& document, const Value& id) const override;
};

}  // namespace yoke::pickle
