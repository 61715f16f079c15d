#include "yoke/optim/optimizers/lbfgs/line_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

namespace yoke {
namespace {

/// Where the cubic through losses and slopes of `a` and `b` is lowest, within [least, most].
double lowest_of_cubic(const Trial& a, const Trial& b, double least, double most) {
  const auto& [low, high] = a.length <= b.length ? std::tie(a, b) : std::tie(b, a);
  const double d1 =
      low.slope + high.slope - 3 * (low.loss - high.loss) / (low.length - high.length);
  const double square = d1 * d1 - low.slope * high.slope;
  const double d2 = std::sqrt(square);
  const double at = high.length - (high.length - low.length) *
                                      ((high.slope + d2 - d1) / (high.slope - low.slope + 2 * d2));
  return std::isfinite(at) ? std::clamp(at, least, most) : (least + most) / 2;
}

/// Two points with an acceptable one between them.
struct Bracket {
  explicit Bracket(Trial first, Trial second) : ends{std::move(first), std::move(second)} {
    sort();
  }
  void sort() { low_index = ends[0].loss <= ends[1].loss ? 0 : 1; }

  Trial& low() { return ends[low_index]; }
  Trial& high() { return ends[1 - low_index]; }
  double least() const { return std::min(ends[0].length, ends[1].length); }
  double most() const { return std::max(ends[0].length, ends[1].length); }

  Trial ends[2];
  std::size_t low_index = 0;
};

class Search {
 public:
  Search(const Line& line, const Trial& start, int most)
      : line_(line), start_(start), most_(most) {}

  Found run(double length) {
    if (auto bracket = find_bracket(length)) zoom(*bracket);
    return std::move(found_);
  }

 private:
  bool may_evaluate() const { return found_.finite && found_.evaluations < most_; }

  Trial evaluate(double length) {
    ++found_.evaluations;
    Trial trial = line_.evaluate(length);
    found_.finite = trial.finite();
    return trial;
  }

  bool too_high(const Trial& trial) const {  // Armijo's condition
    return trial.loss > start_.loss + 1e-4 * trial.length * start_.slope;
  }
  bool flat(const Trial& trial) const { return std::abs(trial.slope) <= -0.9 * start_.slope; }

  /// Goes further until the loss rises. Nothing where the search is over; `found_` then has where.
  std::optional<Bracket> find_bracket(double length) {
    Trial before = start_, latest = evaluate(length);
    while (may_evaluate()) {
      const bool rises = found_.evaluations > 2 && latest.loss >= before.loss;
      if (too_high(latest) || rises) return Bracket(before, latest);
      if (flat(latest)) {
        found_.at = latest;
        return std::nullopt;
      }
      if (latest.slope >= 0) return Bracket(before, latest);
      const double next =
          lowest_of_cubic(before, latest, latest.length + 0.01 * (latest.length - before.length),
                          10 * latest.length);
      before = std::exchange(latest, evaluate(next));
    }
    // Where `latest` is not finite, `before` is the start or fulfils Armijo's condition.
    found_.at = !found_.finite ? before : latest.loss < start_.loss ? latest : start_;
    return std::nullopt;
  }

  void zoom(Bracket& bracket) {
    bool hesitant = false;  // the latest point lay close to an end
    while (may_evaluate() && !line_.narrow(bracket.most() - bracket.least())) {
      const double length = choose_between(bracket, hesitant);
      const Trial latest = evaluate(length);
      if (!found_.finite) break;
      if (too_high(latest) || latest.loss >= bracket.low().loss) {
        bracket.high() = latest;
        bracket.sort();
        continue;
      }
      const bool done = flat(latest);
      const double to_high = bracket.high().length - bracket.low().length;
      if (!done && latest.slope * to_high >= 0) bracket.high() = bracket.low();
      bracket.low() = latest;
      if (done) break;
    }
    found_.at = bracket.low();
  }

  /// The cubic's minimum; the second time close to an end, a tenth of the bracket away from it.
  static double choose_between(const Bracket& bracket, bool& hesitant) {
    const double least = bracket.least(), most = bracket.most(), margin = 0.1 * (most - least);
    const double length = lowest_of_cubic(bracket.ends[0], bracket.ends[1], least, most);
    const bool close = std::min(most - length, length - least) < margin;
    const bool retreat = close && (hesitant || length >= most || length <= least);
    hesitant = close && !retreat;
    if (!retreat) return length;
    return most - length < length - least ? most - margin : least + margin;
  }

  const Line& line_;
  const Trial& start_;
  const int most_;
  Found found_;
};

}  // namespace

bool Trial::finite() const { return std::isfinite(loss) && std::isfinite(slope); }

Found search_strong_wolfe(const Line& line, const Trial& start, double length, int most) {
  return Search(line, start, most).run(length);
}

}  // namespace yoke
