// tests/data/image_files.h: makes JPEG and PNG files of every kind.
#pragma once
// clang-format off
#include <cstdio>  // before jpeglib.h, which needs it
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yoke::test {

/// Pixels side by side, uint8 [height, width, channels].
struct Picture {
  int height = 0;
  int width = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels{};

  std::uint8_t at(int y, int x, int c) const {
    const int place = (y * width + x) * channels + c;
    return pixels[static_cast<std::size_t>(place)];
  }
};

/// Smooth, and different in every corner and channel.
inline Picture picture(int height, int width, int channels = 3) {
  Picture result{.height = height, .width = width, .channels = channels};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double down = static_cast<double>(y) / height, right = static_cast<double>(x) / width;
        const double wave = 20 * std::sin(0.15 * (x + 2 * y) + c);
        const double slope = c == 0 ? down : c == 1 ? right : 1 - down * right;
        result.pixels.push_back(static_cast<std::uint8_t>(40 + 170 * slope + wave));
      }
    }
  }
  return result;
}

struct JpegOptions {
  int quality = 90;
  int horizontal = 2, vertical = 2;  ///< Of luma to chroma: 2, 2 is 4:2:0.
  bool progressive = false;
  bool adobe = true;    ///< Of CMYK: the marker of Adobe's programs.
  int orientation = 0;  ///< Exif's, where positive.
};

/// An APP1 marker that says only how the camera was held; big-endian.
inline std::string exif(int orientation) {
  std::string bytes("Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 25);
  bytes.push_back(static_cast<char>(orientation));
  return bytes + std::string(6, '\0');
}

inline std::string jpeg_file(const Picture& image, const JpegOptions& options = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = image.channels;
  info.in_color_space = image.channels == 1   ? JCS_GRAYSCALE
                        : image.channels == 4 ? JCS_CMYK
                                              : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  if (image.channels == 3) {
    info.comp_info[0].h_samp_factor = options.horizontal;
    info.comp_info[0].v_samp_factor = options.vertical;
  }
  if (image.channels == 4) info.write_Adobe_marker = options.adobe ? TRUE : FALSE;
  if (options.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (options.orientation > 0) {
    const std::string marker = exif(options.orientation);
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(marker.data()),
                      static_cast<unsigned>(marker.size()));
  }
  while (info.next_scanline < info.image_height) {
    const auto row = static_cast<std::size_t>(info.next_scanline) *
                     static_cast<std::size_t>(image.width * image.channels);
    auto* const start = const_cast<std::uint8_t*>(image.pixels.data() + row);
    JSAMPROW rows[] = {start};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return file;
}

/// `type` and `depth` as libpng has them; `image` has the channels of the type, and for a palette
/// one of indices into 256 colours (i, 255 - i, i / 2).
inline std::string png_file(const Picture& image, int type = PNG_COLOR_TYPE_RGB, int depth = 8,
                            bool interlaced = false) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::string file;
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<const char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<unsigned>(image.width), static_cast<unsigned>(image.height),
               depth, type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (type == PNG_COLOR_TYPE_PALETTE) {
    std::vector<png_color> colours;
    for (int i = 0; i < 256; ++i) {
      colours.push_back(
          {static_cast<png_byte>(i), static_cast<png_byte>(255 - i), static_cast<png_byte>(i / 2)});
    }
    png_set_PLTE(png, info, colours.data(), 256);
  }
  png_write_info(png, info);
  std::vector<std::vector<std::uint8_t>> rows(static_cast<std::size_t>(image.height));
  std::vector<png_bytep> starts;
  for (int y = 0; y < image.height; ++y) {
    auto& row = rows[static_cast<std::size_t>(y)];
    for (int i = 0; i < image.width * image.channels; ++i) {
      const std::uint8_t value = image.at(y, i / image.channels, i % image.channels);
      row.insert(row.end(), depth == 16 ? 2 : 1, value);
    }
    starts.push_back(row.data());
  }
  png_write_image(png, starts.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

inline std::span<const std::uint8_t> bytes_of(std::string_view file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

}  // namespace yoke::test
