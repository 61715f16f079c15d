// yoke/train/checkpoints/other_head.h: the last layer of a model, where a file has it for other
// classes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// A layer that makes the scores of `classes`, and which a file has for another number of them.
struct OtherHead {
  std::string module;        ///< Its name, as `fc`; empty where it is the whole model.
  std::int64_t given = 0;    ///< Classes of the file's.
  std::int64_t classes = 0;  ///< Of the model's.

  /// Whether the tensor `name` is one of the layer's own.
  bool has(std::string_view name) const;

  /// "head fc has 1000 classes there, 10 here: begins anew".
  std::string text() const;
};

/// The layer of the last of `wanted`, a model's tensors, that `given` has in another shape: where
/// all that the layer has is of `classes` rows, and in `given` of another number of rows, but
/// otherwise of the same shape. Nothing where there is none, or where the model has no other layer.
std::optional<OtherHead> find_other_head(const NamedTensors& wanted, const NamedTensors& given,
                                         std::int64_t classes);

}  // namespace yoke
