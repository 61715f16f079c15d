#include "yoke/engine/compiled/kernels/winograd.h"

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/winograd_windows.h"

namespace yoke::compiled {
namespace {

using winograd::Finish, winograd::Layout, winograd::Place, winograd::Window;

/// Calls `work(i, place, c)` for each tile and sixteen channels, neighbours in memory soon after
/// one another.
template <typename Work>
YOKE_INLINE void for_each_group(const Layout& layout, const WinogradTiles& grid, TileRange tiles,
                                const Work& work) {
  const std::int64_t together = layout.block > kLanes ? layout.channels : kLanes;
  for (std::int64_t begin = 0; begin < layout.channels; begin += together) {
    for (std::int64_t i = 0; i < tiles.count; ++i) {
      const Place place = winograd::place_of(tiles.first + i, grid);
      for (std::int64_t c = begin; c < begin + together; c += kLanes) work(i, place, c);
    }
  }
}

template <typename F, bool kInside, typename Pixel, typename Row>
YOKE_INLINE void input_group(const Pixel* from, std::int64_t step, const Window<F::kSide>& window,
                             Row* to, std::int64_t pitch) {
  constexpr int kSide = F::kSide;
  winograd::in_both_dimensions<kSide, kSide, F::input>(
      [&](int x) YOKE_INLINED { return kInside || window.has_column(x); },
      [&](int y, int x)
          YOKE_INLINED { return winograd::load_pixel<kInside>(from, step, window, y, x); },
      [&](int y, int x, Floats lanes) YOKE_INLINED { store(lanes, to + (y * kSide + x) * pitch); });
}

template <typename Pixel, typename Row, typename F>
YOKE_INLINE void input_tiles(F, const Tensor& input, const WinogradTiles& grid, TileRange tiles,
                             std::int64_t pad_y, std::int64_t pad_x, const TileMatrices& to) {
  const Layout layout(input, grid.turned);
  for_each_group(layout, grid, tiles,
                 [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
                   const Window<F::kSide> window{place.y - pad_y, place.x - pad_x, layout.height,
                                                 layout.width};
                   const Pixel* const from = input.data<Pixel>() + layout.at(place.image, c);
                   Row* const row = to.row<Row>(i) + c;
                   if (window.inside()) {
                     input_group<F, true>(from, layout.step, window, row, to.pitch);
                   } else {
                     input_group<F, false>(from, layout.step, window, row, to.pitch);
                   }
                 });
}

template <typename Pixel, typename F>
YOKE_INLINE void result_tiles(F, const TileMatrices& products, const WinogradTiles& grid,
                              TileRange tiles, const Finish& finish, const Tensor& result) {
  const Layout layout(result, grid.turned);
  for_each_group(
      layout, grid, tiles, [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
        const float* const from = products.row<float>(i) + c;
        Floats rows[4][F::kSide];
        winograd::transform_columns<F::kSide, 4, F::result>(
            winograd::kWhole,
            [&](int y, int x)
                YOKE_INLINED { return load(from + (y * F::kSide + x) * products.pitch); },
            [&](int y, int x, Floats lanes) YOKE_INLINED { rows[y][x] = lanes; });
        winograd::store_rows<F>(rows, finish, c, Window<4>::of(place, layout), layout.step,
                                result.data<Pixel>() + layout.at(place.image, c));
      });
}

template <typename F>
YOKE_INLINE void spread_tiles(F, const TileMatrices& products, const WinogradTiles& grid,
                              TileRange tiles, std::int64_t pad_y, std::int64_t pad_x,
                              const Tensor& input) {
  const Layout layout(input, grid.turned);
  constexpr int kSide = F::kSide;
  for_each_group(
      layout, grid, tiles, [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
        const Window<kSide> window{place.y - pad_y, place.x - pad_x, layout.height, layout.width};
        const float* const from = products.row<float>(i) + c;
        float* const to = input.data<float>() + layout.at(place.image, c);
        winograd::in_both_dimensions<kSide, kSide, F::spread>(
            winograd::kWhole,
            [&](int y, int x)
                YOKE_INLINED { return load(from + (y * kSide + x) * products.pitch); },
            [&](int y, int x, Floats lanes) YOKE_INLINED {
              if (!window.has_row(y) || !window.has_column(x)) return;
              float* const pixel = to + window.pixel(y, x) * layout.step;
              store(load(pixel) + lanes, pixel);
            });
      });
}

template <typename Pixel, typename Row, typename F>
YOKE_INLINE void gradient_tiles(F, const Tensor& gradient, const WinogradTiles& grid,
                                TileRange tiles, const TileMatrices& to, float* bias) {
  const Layout layout(gradient, grid.turned);
  for_each_group(layout, grid, tiles,
                 [&](std::int64_t i, const Place& place, std::int64_t c) YOKE_INLINED {
                   Floats rows[F::kSide][4];
                   const Floats sum = winograd::gradient_columns<F>(
                       gradient.data<Pixel>() + layout.at(place.image, c), layout.step,
                       Window<4>::of(place, layout),
                       [&](int y, int x, Floats lanes) YOKE_INLINED { rows[y][x] = lanes; });
                   Row* const row = to.row<Row>(i) + c;
                   for (int y = 0; y < F::kSide; ++y) {
                     Floats done[F::kSide];
                     F::gradient(rows[y], done);
                     for (int x = 0; x < F::kSide; ++x)
                       store(done[x], row + (y * F::kSide + x) * to.pitch);
                   }
                   if (bias != nullptr) store(load(bias + c) + sum, bias + c);
                 });
}

YOKE_VECTORISE void input_of_any(const Tensor& input, const WinogradTiles& grid, TileRange tiles,
                                 std::int64_t pad_y, std::int64_t pad_x, const TileMatrices& to) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    winograd::with_number(input.type, [&](auto pixel) YOKE_INLINED {
      winograd::with_number(to.type, [&](auto row) YOKE_INLINED {
        input_tiles<decltype(pixel), decltype(row)>(f, input, grid, tiles, pad_y, pad_x, to);
      });
    });
  });
}

YOKE_VECTORISE void result_of_any(const TileMatrices& products, const WinogradTiles& grid,
                                  TileRange tiles, const Finish& finish, const Tensor& result) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    winograd::with_number(result.type, [&](auto pixel) YOKE_INLINED {
      result_tiles<decltype(pixel)>(f, products, grid, tiles, finish, result);
    });
  });
}

YOKE_VECTORISE void spread_floats(const TileMatrices& products, const WinogradTiles& grid,
                                  TileRange tiles, std::int64_t pad_y, std::int64_t pad_x,
                                  const Tensor& input) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    spread_tiles(f, products, grid, tiles, pad_y, pad_x, input);
  });
}

YOKE_VECTORISE void gradient_of_any(const Tensor& gradient, const WinogradTiles& grid,
                                    TileRange tiles, const TileMatrices& to, float* bias) {
  winograd::with_transforms(grid.taps, [&](auto f) YOKE_INLINED {
    winograd::with_number(gradient.type, [&](auto pixel) YOKE_INLINED {
      winograd::with_number(to.type, [&](auto row) YOKE_INLINED {
        gradient_tiles<decltype(pixel), decltype(row)>(f, gradient, grid, tiles, to, bias);
      });
    });
  });
}

}  // namespace

void winograd_input(const Tensor& input, const WinogradTiles& grid, TileRange tiles,
                    std::int64_t pad_y, std::int64_t pad_x, const TileMatrices& to) {
  input_of_any(input, grid, tiles, pad_y, pad_x, to);
}

void winograd_result(const TileMatrices& products, const WinogradTiles& grid, TileRange tiles,
                     const float* bias, const float* slope, const Tensor& result) {
  result_of_any(products, grid, tiles, {bias, slope}, result);
}

void winograd_spread(const TileMatrices& products, const WinogradTiles& grid, TileRange tiles,
                     std::int64_t pad_y, std::int64_t pad_x, const Tensor& input) {
  spread_floats(products, grid, tiles, pad_y, pad_x, input);
}

void winograd_gradient(const Tensor& gradient, const WinogradTiles& grid, TileRange tiles,
                       const TileMatrices& to, float* bias) {
  gradient_of_any(gradient, grid, tiles, to, bias);
}

}  // namespace yoke::compiled
