// apps/yoke/contact_sheet.h: labelled photos as a page to look at.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/yoke/label_lines.h"

namespace yoke {

/// Photos that a page shows at most, so that browsers can open it.
inline constexpr std::size_t kMostOnSheet = 400;

/// The order in which `photos` deserve a look: first those whose folder names another class, the
/// surest first; then the least certain of the others. Those that were not decoded are left out.
std::vector<std::size_t> worth_a_look(const std::vector<LabelledPhoto>& photos);

/// A page of HTML that needs nothing else: `title`, what `photos` came to, and the first
/// kMostOnSheet worth a look with their labels. `thumbnail(i)` is a JPEG file of photo `i`.
std::string contact_sheet(
    const std::string& title, const std::vector<LabelledPhoto>& photos,
    const std::function<std::vector<std::uint8_t>(std::size_t index)>& thumbnail);

}  // namespace yoke
