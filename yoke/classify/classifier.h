// yoke/classify/classifier.h: a trained model in use: photos in, names out.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/data/formats/raster.h"
#include "yoke/data/transforms/transform.h"
#include "yoke/engine/make_engine.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/open_model.h"
#include "yoke/train/evaluation/views.h"

namespace yoke {

/// How scores are computed.
struct ClassifierOptions {
  EngineKind engine = EngineKind::kEager;  ///< Compiled pays from some hundred photos on.
  Precision precision = Precision::kFp32;
  int threads = 1;  ///< Of the compiled engine, at least 1.
  Views views = Views::kOne;
};

/// A class, and how sure the model is of it.
struct Label {
  std::string name;
  double probability = 0;  ///< In [0, 1].
};

/// A model with what a file of its weights says of it: classes and how photos become its input.
/// Safe from several threads; forward passes take turns.
class Classifier {
 public:
  /// Opens a `model.safetensors` of `yoke train`, a run directory (its final weights, else its
  /// newest good checkpoint) or a checkpoint. @throws UsageError when there is none, or it does not
  /// say of what model; Error when it is damaged.
  explicit Classifier(const std::filesystem::path& path, const ClassifierOptions& options = {});
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;

  const std::filesystem::path& source() const { return source_; }  ///< The file of the weights.
  const std::string& model() const { return name_; }               ///< As `--model` takes it.
  const DatasetInfo& data() const { return data_; }  ///< Its images are of the input's size.
  const std::vector<std::string>& classes() const { return data_.class_names; }
  std::string describe() const;  ///< What computes it.

  /// The `top` likeliest classes of a JPEG or PNG image, the likeliest first; all where there are
  /// fewer. @throws DamagedImage.
  std::vector<Label> classify(std::span<const std::uint8_t> file, std::size_t top = 5) const;
  /// The same of pixels, RGB uint8 [height, width, 3].
  std::vector<Label> classify(const Raster& pixels, std::size_t top = 5) const;

  /// Softmax of the scores, fp32 [N, classes], for normalised input fp32 [N, C, H, W].
  torch::Tensor probabilities(const torch::Tensor& input) const;

 private:
  Classifier(OpenedModel opened, const ClassifierOptions& options);
  std::vector<Label> classify_pixels(std::span<const std::uint8_t> pixels, std::size_t top) const;

  std::filesystem::path source_;
  std::string name_;
  DatasetInfo data_;
  Views views_;
  Model model_;
  FlatParameters parameters_;
  EngineChoice engine_;
  Transform transform_;
  mutable std::mutex turn_;
};

/// The `top` likeliest of `classes`, of probabilities fp32 [classes], the likeliest first.
std::vector<Label> likeliest(const torch::Tensor& probabilities,
                             const std::vector<std::string>& classes, std::size_t top);

}  // namespace yoke
