// yoke/forecast/link.h: what sending over a link costs.
#pragma once

namespace yoke::forecast {

/// What one rank sends, one message after the other, on the longest way through an operation.
struct Sent {
  double messages = 0;
  double bytes = 0;
};

/// A link on which n bytes take alpha + beta n seconds (Hockney 1994, "The communication challenge
/// for MPP").
struct Link {
  double latency_seconds = 0;   ///< alpha, of each message.
  double seconds_per_byte = 0;  ///< beta.

  double seconds(const Sent& sent) const {
    return sent.messages * latency_seconds + sent.bytes * seconds_per_byte;
  }
};

}  // namespace yoke::forecast
