// yoke/data/formats/pickle_vocabulary.h: what pickles of one kind may name, and what comes of it.
#pragma once
#include <string_view>

#include "yoke/data/formats/pickle_document.h"

namespace yoke::pickle {

/// The functions that pickles of one kind may name; all else is the machine's own. Each throws
/// Error on what it does not know.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;

  /// The function or class `module.name`.
  virtual Value find(const Document& document, std::string_view module,
                     std::string_view name) const = 0;

  /// What `function` gives for `arguments`, for the few uses that pickles make of it.
  virtual Value call(Document& document, Function function, const Tuple& arguments) const = 0;

  /// Gives `target` the state that its pickle holds for it.
  virtual void build(const Document& document, Value& target, const Value& state) const = 0;

  /// What the persistent id `id` means, which lies outside of the pickle.
  virtual Value refer(const Document& document, const Value& id) const = 0;
};

/// Runs the pickle in `document.bytes`. Memory and time are linear in its size.
/// @throws Error on anything that `vocabulary` and the machine do not know.
void run(Document& document, const Vocabulary& vocabulary);

/// The same of the pickle that these bytes begin with; returns its length.
std::size_t run_first(Document& document, const Vocabulary& vocabulary);

}  // namespace yoke::pickle
