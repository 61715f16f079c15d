// tests/export/scored_model.h: a model of the registry, images, and its scores for them, as files
// that other programs read.
#pragma once
#include <torch/csrc/jit/api/module.h>
#include <torch/types.h>

#include <filesystem>
#include <string>

#include "yoke/models/model.h"

namespace yoke::test {

inline constexpr std::int64_t kClasses = 7;

/// A model in evaluation mode that is as if trained: batch norms have seen images, and their
/// weights are not those they begin with.
Model trained_model(const std::string& name, const ImageShape& image = {3, 32, 32});

/// What `model` gives in evaluation mode.
torch::Tensor scores_of(const Model& model, const torch::Tensor& images);

/// What a file of TorchScript gives, as it stands there: LibTorch 2 would compile it from the
/// second pass on, which takes a MobileNet minutes.
torch::Tensor scores_of(torch::jit::Module& script, const torch::Tensor& images);

/// `count` images that `model` takes, of normal noise.
torch::Tensor noise_images(const Model& model, std::int64_t count);

/// Writes the numbers of fp32 `tensor`, little-endian, nothing else.
void write_numbers(const std::filesystem::path& path, const torch::Tensor& tensor);

/// The greatest distance between numbers of the two.
double greatest_difference(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace yoke::test
