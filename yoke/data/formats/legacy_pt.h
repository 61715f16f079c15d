// yoke/data/formats/legacy_pt.h: `.pt` files, as PyTorch's torch.save wrote them before 1.6; many
// published weights are such files.
//
// Pickles one after the other: a number that marks the format, its version, what the machine was
// like, the dict, and the names of its storages; then each storage, its number of elements before
// it: torch/serialization.py, _legacy_save().
#pragma once
#include <filesystem>

#include "yoke/core/named_tensors.h"

namespace yoke {

enum class LegacyForm { kNone, kOtherPickle, kPt };

/// As what `path` begins; a file that cannot be opened is none.
LegacyForm legacy_form(const std::filesystem::path& path);

/// As read_pt(), of such a file alone.
NamedTensors read_legacy_pt(const std::filesystem::path& path);

}  // namespace yoke
