// apps/yoke/data_info.h: what `yoke data info` prints.
#pragma once
#include <string>

#include "yoke/data/dataset.h"

namespace yoke {

/// Loads the data set `text` (`name:key=value,...`) and prints its splits, images, classes and
/// pixel statistics; with `json`, one JSON object as the last line. @throws as make_dataset().
void print_data_info(const std::string& text, const DatasetInput& input, bool json);

}  // namespace yoke
