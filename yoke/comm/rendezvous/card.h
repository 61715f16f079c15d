// yoke/comm/rendezvous/card.h: what a rank says of itself to the others.
#pragma once
#include <string>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// Written by each rank, read by all.
struct Card {
  std::string version = {};  ///< Of the program that wrote it.
  Peer peer = {};            ///< Of another version than this program's, rank and host alone.
};

std::string to_text(const Card& card);

/// The card that `rank` wrote. @throws Garbled where `text` is none.
Card parse_card(const std::string& text, int rank);

}  // namespace yoke
