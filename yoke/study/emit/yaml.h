// yoke/study/emit/yaml.h: YAML for other programs to read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace yoke::study {

/// `value` as a document of YAML 1.2 in blocks, as people write it. Text that YAML 1.1 or 1.2 could
/// take for something else is quoted.
std::string yaml_text(const nlohmann::ordered_json& value);

}  // namespace yoke::study
