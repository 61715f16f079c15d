#include "yoke/data/transforms/augment_operations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "yoke/data/transforms/affine_sample.h"
#include "yoke/data/transforms/colour_ops.h"
#include "yoke/data/transforms/equalize.h"
#include "yoke/data/transforms/sharpness.h"

namespace yoke {
namespace {

using Input = std::span<const std::uint8_t>;
using Output = std::span<std::uint8_t>;
using Shape = ImageShape;

void identity(const Shape&, double, Input input, Output output) {
  std::ranges::copy(input, output.begin());
}

double shear_degrees(double magnitude) { return std::atan(magnitude) * (180 / std::numbers::pi); }

Point top_left(const Shape& shape) {
  return {.x = -0.5 * static_cast<double>(shape.width),
          .y = -0.5 * static_cast<double>(shape.height)};
}

void affine(const Shape& shape, const Affine& change, Input input, Output output) {
  affine_sample(shape, inverse_affine_matrix(change), input, output);
}

void shear_x(const Shape& shape, double magnitude, Input input, Output output) {
  const Point shear{.x = shear_degrees(magnitude)};
  affine(shape, {.shear = shear, .center = top_left(shape)}, input, output);
}

void shear_y(const Shape& shape, double magnitude, Input input, Output output) {
  const Point shear{.y = shear_degrees(magnitude)};
  affine(shape, {.shear = shear, .center = top_left(shape)}, input, output);
}

void translate_x(const Shape& shape, double magnitude, Input input, Output output) {
  affine(shape, {.translate = {.x = std::trunc(magnitude)}}, input, output);
}

void translate_y(const Shape& shape, double magnitude, Input input, Output output) {
  affine(shape, {.translate = {.y = std::trunc(magnitude)}}, input, output);
}

void rotate(const Shape& shape, double magnitude, Input input, Output output) {
  affine(shape, {.angle = -magnitude}, input, output);
}

template <AugmentOperation::Apply kAdjust>
void adjust(const Shape& shape, double magnitude, Input input, Output output) {
  kAdjust(shape, 1 + magnitude, input, output);
}

void posterize_to(const Shape&, double magnitude, Input input, Output output) {
  posterize(static_cast<int>(magnitude), input, output);
}

void solarize_from(const Shape&, double magnitude, Input input, Output output) {
  solarize(magnitude, input, output);
}

void stretch_contrast(const Shape& shape, double, Input input, Output output) {
  autocontrast(shape, input, output);
}

void equalize_levels(const Shape& shape, double, Input input, Output output) {
  equalize(shape, input, output);
}

enum class Kind { kPlain, kSigned, kWhole };

/// Magnitudes of the first bin and of the last.
struct Bounds {
  double first = 0, last = 0;
};

struct Entry {
  const char* name;
  AugmentOperation::Apply* apply;
  Kind kind = Kind::kPlain;
  Bounds trivial_augment_wide{}, rand_augment{};
};

std::vector<Entry> all_operations(const Shape& shape) {
  constexpr double kTranslated = 150.0 / 331;  // part of the image
  const double across = kTranslated * static_cast<double>(shape.width);
  const double down = kTranslated * static_cast<double>(shape.height);
  return {{"Identity", identity},
          {"ShearX", shear_x, Kind::kSigned, {0, 0.99}, {0, 0.3}},
          {"ShearY", shear_y, Kind::kSigned, {0, 0.99}, {0, 0.3}},
          {"TranslateX", translate_x, Kind::kSigned, {0, 32}, {0, across}},
          {"TranslateY", translate_y, Kind::kSigned, {0, 32}, {0, down}},
          {"Rotate", rotate, Kind::kSigned, {0, 135}, {0, 30}},
          {"Brightness", adjust<adjust_brightness>, Kind::kSigned, {0, 0.99}, {0, 0.9}},
          {"Color", adjust<adjust_saturation>, Kind::kSigned, {0, 0.99}, {0, 0.9}},
          {"Contrast", adjust<adjust_contrast>, Kind::kSigned, {0, 0.99}, {0, 0.9}},
          {"Sharpness", adjust<adjust_sharpness>, Kind::kSigned, {0, 0.99}, {0, 0.9}},
          {"Posterize", posterize_to, Kind::kWhole, {8, 2}, {8, 4}},
          {"Solarize", solarize_from, Kind::kPlain, {255, 0}, {255, 0}},
          {"AutoContrast", stretch_contrast},
          {"Equalize", equalize_levels}};
}

}  // namespace

double AugmentOperation::magnitude(int bin) const {
  const double magnitude = first + (last - first) * bin / (kMagnitudeBins - 1);
  return is_whole ? std::nearbyint(magnitude) : magnitude;
}

std::vector<AugmentOperation> augment_operations(AutoAugmentPolicy policy, const Shape& shape) {
  std::vector<AugmentOperation> operations;
  if (policy == AutoAugmentPolicy::kNone) return operations;
  for (const Entry& entry : all_operations(shape)) {
    const auto [first, last] = policy == AutoAugmentPolicy::kTrivialAugmentWide
                                   ? entry.trivial_augment_wide
                                   : entry.rand_augment;
    operations.push_back({.name = entry.name,
                          .apply = entry.apply,
                          .is_signed = entry.kind == Kind::kSigned,
                          .is_whole = entry.kind == Kind::kWhole,
                          .first = first,
                          .last = last});
  }
  return operations;
}

}  // namespace yoke
