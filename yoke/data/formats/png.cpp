#include "yoke/data/formats/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <string>
#include <vector>

namespace yoke {
namespace {

class Png final : public EncodedImage {
 public:
  explicit Png(std::span<const std::uint8_t> bytes) : rest_(bytes) {
    attempt([&] {
      png_set_read_fn(reader_.png, this, read);
      png_set_user_limits(reader_.png, kMostPixels, kMostPixels);
      png_read_info(reader_.png, reader_.info);
    });
  }

  std::int64_t height() const override { return png_get_image_height(reader_.png, reader_.info); }
  std::int64_t width() const override { return png_get_image_width(reader_.png, reader_.info); }
  Orientation orientation() const override { return {}; }

  Raster decode(const Crop&, std::int64_t, std::int64_t) override {
    attempt([&] { ask_for_rgb(); });
    Raster raster{.height = height(), .width = width()};
    const auto row_bytes = static_cast<std::size_t>(3 * raster.width);
    if (png_get_rowbytes(reader_.png, reader_.info) != row_bytes) {
      throw DamagedImage("its rows do not become RGB");
    }
    const auto rows = static_cast<std::size_t>(raster.height);
    raster.memory = std::make_unique_for_overwrite<std::uint8_t[]>(rows * row_bytes);
    raster.pixels = raster.memory.get();
    std::vector<png_bytep> starts(rows);
    for (std::size_t i = 0; i < rows; ++i) starts[i] = raster.memory.get() + i * row_bytes;
    attempt([&] { png_read_image(reader_.png, starts.data()); });
    return raster;
  }

 private:
  struct Reader {
    Reader() {
      png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
      if (png != nullptr) info = png_create_info_struct(png);
      if (info != nullptr) return;
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw Error("libpng cannot be set up");
    }
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf jump{};
    char message[200] = {};
  };

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto* const reader = static_cast<Reader*>(png_get_error_ptr(png));
    std::snprintf(reader->message, sizeof reader->message, "%s", message);
    std::longjmp(reader->jump, 1);
  }

  static void ignore(png_structp, png_const_charp) {}

  static void read(png_structp png, png_bytep output, std::size_t size) {
    auto& rest = static_cast<Png*>(png_get_io_ptr(png))->rest_;
    if (size > rest.size()) png_error(png, "it ends too early");
    std::copy_n(rest.begin(), size, output);
    rest = rest.subspan(size);
  }

  void ask_for_rgb() const {
    png_set_expand(reader_.png);
    png_set_scale_16(reader_.png);
    png_set_gray_to_rgb(reader_.png);
    png_set_strip_alpha(reader_.png);
    png_set_interlace_handling(reader_.png);
    png_read_update_info(reader_.png, reader_.info);
  }

  /// libpng jumps over `work` when it fails: it must not make objects with a destructor.
  template <typename Work>
  void attempt(const Work& work) {
    if (setjmp(reader_.jump) != 0) throw DamagedImage(reader_.message);
    work();
  }

  Reader reader_;
  std::span<const std::uint8_t> rest_;
};

}  // namespace

std::unique_ptr<EncodedImage> open_png(std::span<const std::uint8_t> bytes) {
  return std::make_unique<Png>(bytes);
}

}  // namespace yoke
