// yoke/train/checkpoints/model_description.h: what a file of weights says of itself, in the
// metadata of its safetensors header: all that it takes to label images with it.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "yoke/core/image_shape.h"
#include "yoke/data/dataset.h"

namespace yoke {

/// A model, and how images become its input.
struct ModelDescription {
  std::string model;  ///< As `--model` takes it.
  /// What it was trained on: classes, mean, deviation and middle part; `image` is what the model
  /// was made for.
  DatasetInfo data;
  ImageShape input;  ///< Of the model: images of another size are scaled to it.
};

/// The description as metadata of a file of weights: one key with a JSON object, see
/// docs/formats.md.
std::map<std::string, std::string> to_metadata(const ModelDescription& description);

/// The description of the file of weights `path`. @throws UsageError where the file has none: it is
/// another program's; Error where it is damaged.
ModelDescription read_description(const std::filesystem::path& path);

/// Its text, checked. @throws Error that says what is wrong, without naming the file.
ModelDescription parse_description(const std::string& text);

}  // namespace yoke
