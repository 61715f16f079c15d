#include "yoke/data/formats/jpeg.h"

// clang-format off
#include <cstdio>  // before jpeglib.h, which needs it
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <vector>

namespace yoke {
namespace {

/// libjpeg reports failures by calls that must not return.
struct Failures {
  jpeg_error_mgr base{};  // first: libjpeg knows only this
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX] = {};
};

Failures& failures_of(j_common_ptr info) { return *reinterpret_cast<Failures*>(info->err); }

[[noreturn]] void fail(j_common_ptr info) {
  info->err->format_message(info, failures_of(info).message);
  std::longjmp(failures_of(info).jump, 1);
}

/// Of libjpeg's warnings those are failures that leave pixels unknown.
void judge(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      fail(info);
    default:
      break;
  }
}

/// A small file can ask for the work of a large one by thousands of scans.
void limit_scans(j_common_ptr info) {
  constexpr int kMostScans = 100;
  const auto* const decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number <= kMostScans) return;
  std::snprintf(failures_of(info).message, JMSG_LENGTH_MAX, "it has more than %d scans",
                kMostScans);
  std::longjmp(failures_of(info).jump, 1);
}

/// Adobe's programs store CMYK inverted.
void cmyk_to_rgb(const std::uint8_t* cmyk, std::int64_t count, bool inverted, std::uint8_t* rgb) {
  const int turn = inverted ? 0 : 255;
  for (std::int64_t i = 0; i < count; ++i, cmyk += 4, rgb += 3) {
    const int light = cmyk[3] ^ turn;
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>((cmyk[c] ^ turn) * light / 255);
  }
}

/// Pixels [begin, end) of one axis that a crop needs, in the scaled image.
struct Extent {
  JDIMENSION begin = 0;
  JDIMENSION end = 0;

  JDIMENSION size() const { return end - begin; }
};

Extent extent(double start, double length, double scale, std::int64_t output, JDIMENSION pixels) {
  // What a triangle filter reaches, and two pixels for the upsampling of chroma.
  const double margin = 2 + std::max(1.0, length * scale / static_cast<double>(output));
  const double most = pixels;
  const double begin = std::clamp(std::floor(start * scale - margin), 0.0, most - 1);
  const double end = std::clamp(std::ceil((start + length) * scale + margin), begin + 1, most);
  return {.begin = static_cast<JDIMENSION>(begin), .end = static_cast<JDIMENSION>(end)};
}

class Jpeg final : public EncodedImage {
 public:
  explicit Jpeg(std::span<const std::uint8_t> bytes) {
    attempt([&] {
      jpeg_mem_src(&decoder_.info, bytes.data(), bytes.size());
      jpeg_save_markers(&decoder_.info, kApp1, 0xffff);
      jpeg_read_header(&decoder_.info, TRUE);
    });
    for (auto* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      orientation_ = exif_orientation({marker->data, marker->data_length});
      if (!orientation_.upright()) break;
    }
  }

  std::int64_t height() const override { return info_.image_height; }
  std::int64_t width() const override { return info_.image_width; }
  Orientation orientation() const override { return orientation_; }

  Raster decode(const Crop& crop, std::int64_t height, std::int64_t width) override {
    info_.scale_num = eighths(crop, height, width);
    info_.scale_denom = 8;
    const bool cmyk = info_.num_components == 4;
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    attempt([&] { jpeg_start_decompress(&info_); });
    const double scale = info_.scale_num / 8.0;
    const Extent rows = extent(crop.top, crop.height, scale, height, info_.output_height);
    Extent columns = extent(crop.left, crop.width, scale, width, info_.output_width);
    widen(columns);
    Raster raster{.memory = std::make_unique_for_overwrite<std::uint8_t[]>(
                      std::size_t{3} * columns.size() * rows.size()),
                  .height = rows.size(),
                  .width = columns.size(),
                  .scale = scale,
                  .left = columns.begin,
                  .top = rows.begin};
    raster.pixels = raster.memory.get();
    if (cmyk) {
      read_cmyk(rows, columns.size(), raster.memory.get());
    } else {
      read_rgb(rows, columns.size(), raster.memory.get());
    }
    return raster;
  }

 private:
  static constexpr int kApp1 = JPEG_APP0 + 1;

  /// Has no destructor to miss when libjpeg jumps over it: `work` must not make objects with one.
  template <typename Work>
  void attempt(const Work& work) {
    if (setjmp(decoder_.failures.jump) != 0) throw DamagedImage(decoder_.failures.message);
    work();
  }

  /// The least scale, in eighths, that still has the pixels. Of the others vector code is missing.
  static unsigned eighths(const Crop& crop, std::int64_t height, std::int64_t width) {
    for (const unsigned scale : {1U, 2U, 4U}) {
      if (crop.width * scale >= 8.0 * static_cast<double>(width) &&
          crop.height * scale >= 8.0 * static_cast<double>(height)) {
        return scale;
      }
    }
    return 8;
  }

  /// To whole blocks, which libjpeg decodes.
  void widen(Extent& columns) {
    JDIMENSION size = columns.size();
    attempt([&] { jpeg_crop_scanline(&info_, &columns.begin, &size); });
    columns.end = columns.begin + size;
  }

  void read_rgb(const Extent& rows, JDIMENSION width, std::uint8_t* output) {
    attempt([&] {
      jpeg_skip_scanlines(&info_, rows.begin);
      while (info_.output_scanline < rows.end) {
        JSAMPROW row = output + std::size_t{3} * width * (info_.output_scanline - rows.begin);
        jpeg_read_scanlines(&info_, &row, 1);
      }
    });
  }

  void read_cmyk(const Extent& rows, JDIMENSION width, std::uint8_t* output) {
    std::vector<std::uint8_t> line(std::size_t{4} * width);
    attempt([&] {
      jpeg_skip_scanlines(&info_, rows.begin);
      for (; info_.output_scanline < rows.end; output += std::size_t{3} * width) {
        JSAMPROW row = line.data();
        jpeg_read_scanlines(&info_, &row, 1);
        cmyk_to_rgb(line.data(), width, info_.saw_Adobe_marker == TRUE, output);
      }
    });
  }

  struct Decoder {
    Decoder() {
      info.err = jpeg_std_error(&failures.base);
      failures.base.error_exit = fail;
      failures.base.emit_message = judge;
      progress.progress_monitor = limit_scans;
      if (setjmp(failures.jump) != 0) throw Error(failures.message);
      jpeg_create_decompress(&info);
      info.progress = &progress;
    }
    ~Decoder() { jpeg_destroy_decompress(&info); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    Failures failures;
    jpeg_progress_mgr progress{};
    jpeg_decompress_struct info{};
  };

  Decoder decoder_;
  jpeg_decompress_struct& info_ = decoder_.info;
  Orientation orientation_;
};

}  // namespace

std::unique_ptr<EncodedImage> open_jpeg(std::span<const std::uint8_t> bytes) {
  return std::make_unique<Jpeg>(bytes);
}

}  // namespace yoke
