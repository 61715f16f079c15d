// yoke/train/config/image_sizes.h: progressive resizing, training images that grow as the run goes
// on: Howard, "Training Imagenet in 3 hours for $25" (2018); Touvron et al., "Fixing the train-test
// resolution discrepancy" (NeurIPS 2019).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// `0:96,6:128,14:160`, height and width of training images from which epoch on; or nothing.
class ImageSizes {
 public:
  static constexpr std::int64_t kMost = 4096;  ///< Pixels.

  ImageSizes() = default;  ///< Nothing: images are as large as they are.

  /// Parses EPOCH:SIZE,..., the first of epoch 0 and each of a later epoch than the one before; or
  /// SIZE alone, for all epochs. `flag` is for messages. @throws UsageError on anything else.
  static ImageSizes parse(std::string_view text, std::string_view flag);

  bool given() const { return !stages_.empty(); }
  const std::string& str() const { return text_; }

  /// Of an epoch, from 0. Where none is given(), this and the others have no meaning.
  std::int64_t at(std::int64_t epoch) const;
  /// The last of them: that of validation images, for which the model is made.
  std::int64_t last() const { return stages_.back().size; }
  /// The epoch from which on images have their last size.
  std::int64_t last_epoch() const { return stages_.back().epoch; }
  /// Each once, ascending.
  std::vector<std::int64_t> all() const;

 private:
  struct Stage {
    std::int64_t epoch = 0, size = 0;
  };
  std::vector<Stage> stages_;
  std::string text_;
};

}  // namespace yoke
