// yoke/comm/text.h: text between ranks.
#pragma once
#include <string>
#include <vector>

#include "yoke/comm/communicator.h"

namespace yoke {

/// The text of rank `root`, on all ranks. @throws Garbled where its size is that of none.
std::string broadcast_text(Communicator& communicator, const std::string& text, int root);

/// The texts of all ranks, by rank.
std::vector<std::string> gather_texts(Communicator& communicator, const std::string& text);

}  // namespace yoke
