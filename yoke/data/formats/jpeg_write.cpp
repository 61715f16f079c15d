#include "yoke/data/formats/jpeg_write.h"

// clang-format off
#include <cstdio>  // before jpeglib.h, which needs it
#include <jpeglib.h>
// clang-format on

#include <fmt/format.h>

#include <csetjmp>
#include <cstdlib>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// libjpeg reports failures by calls that must not return.
struct WriteFailure {
  jpeg_error_mgr base{};  // first: libjpeg knows only this
  std::jmp_buf jump{};
};

[[noreturn]] void give_up_writing(j_common_ptr info) {
  std::longjmp(reinterpret_cast<WriteFailure*>(info->err)->jump, 1);
}

/// What libjpeg holds, which a jump past destructors would lose; made before the jump is set.
struct JpegWriter {
  JpegWriter() {
    info.err = jpeg_std_error(&failure.base);
    failure.base.error_exit = give_up_writing;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &size);
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  WriteFailure failure;
  jpeg_compress_struct info{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's
};

/// [height, width, channels], as libjpeg takes them.
std::vector<std::uint8_t> interleaved(std::span<const std::uint8_t> pixels,
                                      const ImageShape& shape) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t area = pixels.size() / channels;
  std::vector<std::uint8_t> result(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    result[i % area * channels + i / area] = pixels[i];
  }
  return result;
}

/// `rows` are as interleaved() gives them.
bool compress(JpegWriter& writer, std::vector<std::uint8_t>& rows, const ImageShape& shape,
              int quality) {
  auto& info = writer.info;
  if (setjmp(writer.failure.jump) != 0) return false;
  info.image_width = static_cast<JDIMENSION>(shape.width);
  info.image_height = static_cast<JDIMENSION>(shape.height);
  info.input_components = static_cast<int>(shape.channels);
  info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  const auto stride = static_cast<std::size_t>(shape.width * shape.channels);
  while (info.next_scanline < info.image_height) {
    JSAMPLE* row = rows.data() + info.next_scanline * stride;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

std::vector<std::uint8_t> write_jpeg(std::span<const std::uint8_t> pixels, const ImageShape& shape,
                                     int quality) {
  if ((shape.channels != 1 && shape.channels != 3) ||
      static_cast<std::int64_t>(pixels.size()) != shape.elements()) {
    throw Error(fmt::format("an image of {} with {} bytes cannot be written as JPEG", shape.str(),
                            pixels.size()));
  }
  auto rows = interleaved(pixels, shape);
  JpegWriter writer;
  if (rows.empty() || !compress(writer, rows, shape, quality)) {
    throw Error(fmt::format("an image of {} cannot be written as JPEG", shape.str()));
  }
  return {writer.bytes, writer.bytes + writer.size};
}

}  // namespace yoke
