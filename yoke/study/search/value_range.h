// yoke/study/search/value_range.h: numbers between two ends, from which a search draws.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "yoke/core/random.h"

namespace yoke::study {

/// `{ low = 1e-4, high = 0.1, log = true }` of a study file; both ends can be drawn.
class ValueRange {
 public:
  /// What the file says of it.
  struct Ends {
    double low = 0;
    double high = 0;
    double step = 0;     ///< 0: any number; 1 of whole ones.
    bool log = false;    ///< Each factor as likely as another, in place of each difference.
    bool whole = false;  ///< Both ends are whole numbers, and so is what is drawn.
  };

  /// @throws UsageError on a range that is empty or not finite, with a step that is none, or with a
  /// step of a logarithmic range, or on one of these that does not begin above 0.
  explicit ValueRange(const Ends& ends);

  /// A number as flags have it; others than whole ones to four digits.
  std::string draw(RandomStream& stream) const;

  /// How many numbers it has; nothing where it has any number between its ends.
  std::optional<std::int64_t> count() const;

  bool log() const { return ends_.log; }

 private:
  Ends ends_;
};

}  // namespace yoke::study
