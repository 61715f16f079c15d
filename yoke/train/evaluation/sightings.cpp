#include "yoke/train/evaluation/sightings.h"

#include <algorithm>
#include <cmath>

#include "yoke/run/image_predictions.h"

namespace yoke {
namespace {

constexpr std::int64_t kFields = 5;  // of a row that ranks send: whether it is one, and a Sighting

Answer answer(const Sighting& sighting) {
  return {.wrong = sighting.predicted != sighting.label, .probability = sighting.probability};
}

/// The order does not depend on which rank saw what.
bool comes_before(const Sighting& one, const Sighting& other) {
  if (looked_at_before(answer(one), answer(other))) return true;
  if (looked_at_before(answer(other), answer(one))) return false;
  return one.image < other.image;
}

void keep_most(std::vector<Sighting>& sightings) {
  std::sort(sightings.begin(), sightings.end(), comes_before);
  if (sightings.size() > kMostKept) sightings.resize(kMostKept);
}

void write_row(const Sighting& sighting, double* row) {
  row[0] = 1;
  row[1] = static_cast<double>(sighting.image);
  row[2] = static_cast<double>(sighting.label);
  row[3] = static_cast<double>(sighting.predicted);
  row[4] = sighting.probability;
}

Sighting read_row(const double* row) {
  return {.image = static_cast<std::int64_t>(row[1]),
          .label = static_cast<std::int64_t>(row[2]),
          .predicted = static_cast<std::int64_t>(row[3]),
          .probability = row[4]};
}

}  // namespace

void Sightings::add(const Likeliest& likeliest, const torch::Tensor& target,
                    std::span<const std::int64_t> images) {
  const auto* const predicted = likeliest.classes.data_ptr<std::int64_t>();
  const auto* const probability = likeliest.probability.data_ptr<float>();
  const auto label = target.to(torch::kCPU).contiguous();
  for (std::size_t row = 0; row < images.size(); ++row) {
    const Sighting sighting{.image = images[row],
                            .label = label.data_ptr<std::int64_t>()[row],
                            .predicted = predicted[row],
                            .probability = probability[row]};
    if (std::isnan(sighting.probability)) continue;
    (answer(sighting).wrong ? wrong_ : right_).push_back(sighting);
  }
  keep_most(wrong_);
  keep_most(right_);
}

std::vector<Sighting> Sightings::gather(Communicator& communicator) const {
  const auto of_rank = static_cast<std::int64_t>(2 * kMostKept);
  auto rows = torch::zeros({communicator.size() * of_rank, kFields}, torch::kFloat64);
  double* const values = rows.data_ptr<double>();
  double* own = values + communicator.rank() * of_rank * kFields;
  for (const auto* const list : {&wrong_, &right_}) {
    for (const auto& sighting : *list) {
      write_row(sighting, own);
      own += kFields;
    }
  }
  communicator.all_reduce(rows);
  Sightings all;
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const double* const fields = values + row * kFields;
    if (fields[0] == 0) continue;
    const Sighting sighting = read_row(fields);
    (answer(sighting).wrong ? all.wrong_ : all.right_).push_back(sighting);
  }
  keep_most(all.wrong_);
  keep_most(all.right_);
  all.wrong_.insert(all.wrong_.end(), all.right_.begin(), all.right_.end());
  return all.wrong_;
}

}  // namespace yoke
