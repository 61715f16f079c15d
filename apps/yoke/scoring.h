// apps/yoke/scoring.h: photos and the trained model that scores them.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yoke/classify/classifier.h"
#include "yoke/classify/photo_files.h"
#include "yoke/classify/photo_list.h"
#include "yoke/data/loader.h"

namespace yoke {

/// Which photos, by which model, and how.
struct GivenScoring {
  std::string model;
  std::vector<std::string> paths;
  std::string tta = word_of(Views::kOne);
  std::string engine = word_of(EngineKind::kAuto);
  std::string precision = word_of(Precision::kFp32);
  std::int64_t batch_size = 64;
  std::int64_t threads = 0, loader_threads = 0;
};

/// MODEL, PATHS and the flags above.
void add_scoring_flags(CLI::App& command, GivenScoring& given);

/// A model that was opened, and photos that were found.
class Scoring {
 public:
  /// `-` among the paths stands for names from standard input. @throws UsageError where there are
  /// no photos, or no model.
  explicit Scoring(const GivenScoring& given);

  const PhotoFiles& files() const { return files_; }
  const Classifier& classifier() const { return *classifier_; }
  const PhotoList& photos() const { return *photos_; }
  int threads() const { return threads_; }  ///< Of the forward pass.
  int loader_threads() const { return loader_threads_; }
  std::int64_t batches() const { return sampler_->epochs().steps(0); }

  /// The photos in their order, decoded from now on.
  std::unique_ptr<Loader> load() const;

 private:
  int threads_, loader_threads_;
  PhotoFiles files_;
  std::unique_ptr<const Classifier> classifier_;
  std::shared_ptr<const PhotoList> photos_;
  std::unique_ptr<const Sampler> sampler_;
};

}  // namespace yoke
