#include "apps/yoke/label_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yoke/core/format.h"

namespace yoke {

std::string table_line(const LabelledPhoto& photo, std::size_t width) {
  std::string line = fmt::format("{:<{}}", photo.name, width);
  for (const auto& label : photo.labels) {
    line += fmt::format("  {} {:.1f} %", label.name, 100 * label.probability);
  }
  return line;
}

std::string json_line(const LabelledPhoto& photo) {
  nlohmann::ordered_json json = {{"path", photo.name}};
  if (photo.labels.empty()) {
    json["error"] = photo.problem;
  } else {
    json["label"] = photo.labels.front().name;
    json["probability"] = photo.labels.front().probability;
    auto& top = json["top"] = nlohmann::ordered_json::array();
    for (const auto& label : photo.labels) {
      top.push_back({{"label", label.name}, {"probability", label.probability}});
    }
    if (!photo.folder.empty()) json["folder"] = photo.folder;
  }
  // Names of files may be of any bytes.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csv_header(std::size_t top) {
  std::string line = "path,folder,error";
  for (std::size_t i = 1; i <= top; ++i) line += fmt::format(",label{0},probability{0}", i);
  return line;
}

std::string csv_line(const LabelledPhoto& photo, std::size_t top) {
  std::string line = fmt::format("{},{},{}", csv_field(photo.name), csv_field(photo.folder),
                                 csv_field(photo.problem));
  for (const auto& label : photo.labels) {
    line += fmt::format(",{},{:.6f}", csv_field(label.name), label.probability);
  }
  for (std::size_t i = photo.labels.size(); i < top; ++i) line += ",,";
  return line;
}

}  // namespace yoke
