#include "yoke/data/datasets/glyph_strokes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace yoke {
namespace {

/// Draws strokes of straight lines, quadratic curves and parts of ellipses.
class Pen {
 public:
  explicit Pen(RandomStream& random) : random_(random) {}

  /// Lifts the pen and sets it down at (x, y).
  Pen& move(double x, double y) {
    strokes_.emplace_back();
    return point(x, y);
  }

  Pen& line(double x, double y) { return point(x, y); }

  /// A quadratic Bezier curve by way of (control_x, control_y).
  Pen& curve(double control_x, double control_y, double x, double y) {
    constexpr int kPieces = 6;
    const GlyphPoint start = strokes_.back().back();
    for (int i = 1; i <= kPieces; ++i) {
      const double t = static_cast<double>(i) / kPieces, s = 1 - t;
      point(s * s * start.x + 2 * s * t * control_x + t * t * x,
            s * s * start.y + 2 * s * t * control_y + t * t * y);
    }
    return *this;
  }

  /// Part of an ellipse, from one angle to another in degrees; 0 is right, 90 is down. Begins where
  /// the pen is.
  Pen& arc(double x, double y, double width, double height, double from, double to) {
    const int pieces = std::max(2, static_cast<int>(std::abs(to - from) / 24));
    for (int i = 0; i <= pieces; ++i) {
      const double angle = (from + (to - from) * i / pieces) * std::numbers::pi / 180;
      point(x + width * std::cos(angle), y + height * std::sin(angle));
    }
    return *this;
  }

  /// The ellipse with its ends somewhat apart or overlapping.
  Pen& ring(double x, double y, double width, double height, double start) {
    lift();
    return arc(x, y, width, height, start, start + vary(358, 14));
  }

  Pen& lift() {
    strokes_.emplace_back();
    return *this;
  }

  /// A value near `middle`.
  double vary(double middle, double spread) { return middle + random_.uniform(-spread, spread); }
  bool chance(double probability) { return random_.uniform() < probability; }

  std::vector<GlyphStroke> strokes() && { return std::move(strokes_); }

 private:
  Pen& point(double x, double y) {
    strokes_.back().push_back({static_cast<float>(x), static_cast<float>(y)});
    return *this;
  }

  RandomStream& random_;
  std::vector<GlyphStroke> strokes_;
};

void draw_0(Pen& pen) {
  const double width = pen.vary(0.27, 0.07);
  pen.ring(0, 0, width, 0.5, pen.vary(270, 40));
  if (pen.chance(0.12)) pen.move(-width, 0.4).line(width, -0.4);
}

void draw_1(Pen& pen) {
  const double lean = pen.vary(0, 0.06);
  if (pen.chance(0.35)) {
    pen.move(lean, -0.5).line(-lean, 0.5);
    return;
  }
  pen.move(pen.vary(-0.2, 0.08), pen.vary(-0.27, 0.08)).line(0.03, -0.5).line(0.03, 0.5);
  if (pen.chance(0.4)) pen.move(-0.2, 0.5).line(0.25, 0.5);
}

void draw_2(Pen& pen) {
  const double top = pen.vary(0.26, 0.05), turn = pen.vary(30, 15);
  pen.lift().arc(0, -0.5 + top, pen.vary(0.26, 0.04), top, pen.vary(195, 20), 360 + turn);
  if (pen.chance(0.35)) {
    pen.curve(0.1, 0.2, -0.2, 0.47).curve(-0.36, 0.36, -0.2, 0.32).curve(0, 0.34, 0.3, 0.5);
  } else if (pen.chance(0.4)) {
    pen.curve(0.2, 0.1, -0.27, 0.5).curve(0, 0.36, 0.3, pen.vary(0.47, 0.05));
  } else {
    pen.line(-0.28, 0.5).line(0.3, 0.5);
  }
}

void draw_3(Pen& pen) {
  const double waist = pen.vary(-0.04, 0.06);
  const double upper = (waist + 0.5) / 2, lower = (0.5 - waist) / 2;
  if (pen.chance(0.25)) {
    pen.move(-0.25, -0.5).line(0.24, -0.5).line(-0.04, waist);
  } else {
    pen.lift().arc(-0.03, waist - upper, pen.vary(0.25, 0.04), upper, pen.vary(205, 20), 360 + 80);
    if (pen.chance(0.6)) pen.line(pen.vary(-0.09, 0.05), waist);
  }
  pen.arc(-0.03, waist + lower, pen.vary(0.29, 0.04), lower, 275, 360 + pen.vary(150, 20));
}

void draw_4(Pen& pen) {
  const double bar = pen.vary(0.14, 0.07), stem = pen.vary(0.13, 0.05);
  if (pen.chance(0.5)) {
    pen.move(pen.vary(-0.14, 0.07), -0.5).line(-0.29, bar).line(0.31, bar);
    pen.move(stem, pen.vary(-0.3, 0.15)).line(stem + pen.vary(0, 0.05), 0.5);
  } else {
    pen.move(stem, 0.5).line(stem, -0.5).line(-0.3, bar).line(0.31, bar);
  }
}

void draw_5(Pen& pen) {
  const double side = pen.vary(-0.21, 0.04), waist = pen.vary(-0.07, 0.05);
  pen.move(0.25, -0.5).line(side, pen.vary(-0.48, 0.03)).line(side - 0.03, waist);
  const double height = (0.5 - waist) / 2 + 0.04;
  pen.arc(-0.02, 0.5 - height, pen.vary(0.29, 0.04), height, 225, 360 + pen.vary(145, 22));
}

void draw_6(Pen& pen) {
  const double width = pen.vary(0.26, 0.04), height = pen.vary(0.26, 0.06);
  if (pen.chance(0.6)) {
    pen.move(pen.vary(0.2, 0.08), -0.48).curve(-0.24, -0.45, -width, 0.5 - height);
  } else {
    pen.move(pen.vary(0.1, 0.1), -0.5).line(-width, 0.5 - height);
  }
  pen.arc(0, 0.5 - height, width, height, 180, -pen.vary(180, 18));
}

void draw_7(Pen& pen) {
  if (pen.chance(0.25)) {
    pen.move(-0.28, pen.vary(-0.36, 0.04)).line(-0.28, -0.5);
  } else {
    pen.move(-0.28, pen.vary(-0.48, 0.03));
  }
  pen.line(0.28, pen.vary(-0.48, 0.03));
  const double foot = pen.vary(-0.06, 0.12);
  if (pen.chance(0.5)) {
    pen.line(foot, 0.5);
  } else {
    pen.curve(pen.vary(0.02, 0.06), 0, foot, 0.5);
  }
  if (pen.chance(0.35)) pen.move(-0.14, pen.vary(0, 0.05)).line(0.24, pen.vary(0, 0.05));
}

void draw_8(Pen& pen) {
  const double waist = pen.vary(-0.05, 0.06), width = pen.vary(0.26, 0.05);
  if (pen.chance(0.5)) {
    pen.ring(0, (waist - 0.5) / 2, 0.85 * width, (waist + 0.5) / 2, pen.vary(90, 30));
    pen.ring(0, (waist + 0.5) / 2, width, (0.5 - waist) / 2, pen.vary(270, 30));
    return;
  }
  pen.move(0.75 * width, pen.vary(-0.38, 0.05));
  pen.curve(0, -0.6, -0.75 * width, -0.38).curve(-1.3 * width, -0.14, 0, waist);
  pen.curve(1.7 * width, 0.16, 0.7 * width, 0.42).curve(0, 0.6, -0.75 * width, 0.4);
  pen.curve(-1.5 * width, 0.14, 0, waist).curve(1.2 * width, -0.18, 0.7 * width, -0.4);
}

void draw_9(Pen& pen) {
  const double width = pen.vary(0.25, 0.04), height = pen.vary(0.26, 0.06), centre = height - 0.5;
  pen.lift().arc(0, centre, width, height, pen.vary(0, 16), -360);
  if (pen.chance(0.4)) {
    pen.line(pen.vary(0.2, 0.08), 0.5);
  } else if (pen.chance(0.5)) {
    pen.curve(width + 0.02, 0.3, pen.vary(0, 0.1), 0.5);
  } else {
    pen.curve(width, 0.55, 0, 0.5).curve(-0.15, 0.49, -0.24, pen.vary(0.36, 0.05));
  }
}

using DrawDigit = void (*)(Pen& pen);
constexpr std::array<DrawDigit, 10> kDigits = {draw_0, draw_1, draw_2, draw_3, draw_4,
                                               draw_5, draw_6, draw_7, draw_8, draw_9};

}  // namespace

std::vector<GlyphStroke> draw_digit(int digit, RandomStream& random) {
  Pen pen(random);
  kDigits.at(static_cast<std::size_t>(digit))(pen);
  return std::move(pen).strokes();
}

}  // namespace yoke
