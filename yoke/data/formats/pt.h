// yoke/data/formats/pt.h: `.pt` files, as PyTorch's torch.save writes them.
//
// Since 1.6, a zip archive of stored files: NAME/data.pkl, a pickle of the dict, and NAME/data/0,
// NAME/data/1,
// ..., the numbers. https://pytorch.org/docs/stable/notes/serialization.html. Before, see
// legacy_pt.h.
#pragma once
#include <filesystem>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// What the pickle of an archive is called in its folder.
inline constexpr const char* kPickleRecord = "data.pkl";

/// The tensors of a `.pt` that holds a dict of them, or a checkpoint with such a dict as
/// `state_dict` or `model`; on the CPU, as views of what was read. Executes nothing of the file;
/// memory and time are linear in its size.
/// @throws Error that names the file and what was found in it, on anything else.
NamedTensors read_pt(const std::filesystem::path& path);

}  // namespace yoke
