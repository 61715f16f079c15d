#include "yoke/train/checkpoints/model_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/files/safetensors.h"

namespace yoke {
namespace {

using nlohmann::json;

constexpr const char* kKey = "yoke";
constexpr int kDescriptionFormat = 1;

json list_of(const ImageShape& shape) { return {shape.channels, shape.height, shape.width}; }

const char* colours_of(const ImageShape& shape) { return shape.channels == 1 ? "grey" : "RGB"; }

void require(bool holds, const char* name, const json& found, const char* expected) {
  if (!holds) {
    throw Error(
        fmt::format("'{}' of its description is {}; expected {}", name, found.dump(), expected));
  }
}

ImageShape parse_shape(const json& object, const char* name) {
  constexpr std::int64_t kMost = 4096;  // pixels a side
  const json& value = object.at(name);
  const auto sizes = value.get<std::vector<std::int64_t>>();
  const bool allowed = sizes.size() == 3 &&
                       std::all_of(sizes.begin(), sizes.end(),
                                   [](std::int64_t size) { return size >= 1 && size <= kMost; });
  require(allowed && (sizes[0] == 1 || sizes[0] == 3), name, value,
          "[channels, height, width] with 1 or 3 channels and 1 to 4096 pixels a side");
  return {sizes[0], sizes[1], sizes[2]};
}

/// One number for each of `channels`, finite ones in (least, 1e6].
std::vector<float> parse_numbers(const json& object, const char* name, std::int64_t channels,
                                 double least) {
  const json& value = object.at(name);
  const auto numbers = value.get<std::vector<double>>();
  const bool allowed = std::ssize(numbers) == channels &&
                       std::all_of(numbers.begin(), numbers.end(),
                                   [&](double number) { return number > least && number <= 1e6; });
  require(allowed, name, value, "a number for each channel, of a deviation above 0");
  return {numbers.begin(), numbers.end()};
}

ModelDescription from_json(const json& object) {
  require(object.at("format") == kDescriptionFormat, "format", object.at("format"),
          "1; a newer version of Yoke wrote this");
  ModelDescription description;
  description.model = object.at("model").get<std::string>();
  DatasetInfo& data = description.data;
  data.name = object.at("data").get<std::string>();
  data.image = parse_shape(object, "image");
  data.class_names = object.at("classes").get<std::vector<std::string>>();
  require(data.class_names.size() >= 2, "classes", object.at("classes"), "two names or more");
  data.mean = parse_numbers(object, "mean", data.image.channels, -1e6);
  data.deviation = parse_numbers(object, "deviation", data.image.channels, 0);
  data.centre = object.at("centre").get<double>();
  require(data.centre > 0 && data.centre <= 1, "centre", object.at("centre"), "a number in (0, 1]");
  description.input = parse_shape(object, "input");
  require(description.input.channels == data.image.channels, "input", object.at("input"),
          "as many channels as 'image' has");
  return description;
}

}  // namespace

std::map<std::string, std::string> to_metadata(const ModelDescription& description) {
  const DatasetInfo& data = description.data;
  const json object = {{"format", kDescriptionFormat},
                       {"model", description.model},
                       {"data", data.name},
                       {"image", list_of(data.image)},
                       {"classes", data.class_names},
                       {"mean", data.mean},
                       {"deviation", data.deviation},
                       {"centre", data.centre},
                       {"input", list_of(description.input)},
                       {"colours", colours_of(description.input)}};
  // Names of folders may be of any bytes.
  return {{kKey, object.dump(-1, ' ', false, json::error_handler_t::replace)}};
}

ModelDescription parse_description(const std::string& text) {
  try {
    return from_json(json::parse(text));
  } catch (const json::exception& error) {
    throw Error(fmt::format("its description is no JSON object as expected: {}", error.what()));
  }
}

ModelDescription read_description(const std::filesystem::path& path) {
  const auto metadata = read_safetensors_metadata(path);
  const auto found = metadata.find(kKey);
  if (found == metadata.end()) {
    throw UsageError(fmt::format(
        "{} holds weights, but not of which model and classes; give a file that 'yoke train' wrote",
        path.string()));
  }
  try {
    return parse_description(found->second);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace yoke
