// yoke/export/options.h: how a model is exported, in whichever form.
#pragma once
#include <map>
#include <string>

namespace yoke {

struct ExportOptions {
  bool fold_batch_norm = false;  ///< Make batch norms a part of the convolutions before them.
  /// What the file says of itself, by name.
  std::map<std::string, std::string> metadata{};
};

}  // namespace yoke
