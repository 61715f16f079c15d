#include "yoke/parallel/server/pushing.h"

namespace yoke {
namespace {

void wait_for(std::vector<Work>& works) {
  for (const auto& work : works) work.wait();
  works.clear();
}

}  // namespace

Pushing::Pushing(FlatParameters& parameters, const Shards& shards, std::vector<Bucket> buckets,
                 bool overlap, std::vector<Provider> providers)
    : parameters_(parameters),
      shards_(shards),
      overlap_(overlap),
      filler_(std::move(buckets), [this](std::size_t bucket) { send(filler_.buckets()[bucket]); }),
      pulled_(overlap ? torch::empty_like(parameters.values()) : parameters.values()),
      providers_(std::move(providers)) {}

void Pushing::begin(const Rates& rates) {
  filler_.reset();
  for (const auto& [server, link] : providers_) link->ask(ServerLink::Request::kPush, rates);
}

void Pushing::send(const Bucket& bucket) {
  for (const auto& [server, link] : providers_) {
    const auto [begin, end] = piece_of(bucket, shards_, server);
    if (begin == end) continue;
    pushes_.push_back(link->send(parameters_.gradients().narrow(0, begin, end - begin)));
  }
}

void Pushing::finish() {
  if (overlap_) take_in();
  pull();
  if (!overlap_) take_in();
}

void Pushing::pull() {
  for (const auto& [server, link] : providers_) {
    pulls_.push_back(link->receive(shards_.of(server, pulled_)));
  }
}

void Pushing::take_in() {
  wait_for(pushes_);  // the next gradient comes in their place
  if (pulls_.empty()) return;
  wait_for(pulls_);
  if (!overlap_) return;
  for (const auto& [server, link] : providers_) {
    shards_.of(server, parameters_.values()).copy_(shards_.of(server, pulled_));
  }
}

void Pushing::rest() {
  take_in();
  for (const auto& [server, link] : providers_) link->ask(ServerLink::Request::kRest);
}

void Pushing::hear(const torch::Tensor& numbers) {
  providers_.front().link->receive(numbers).wait();
}

std::int64_t Pushing::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [server, link] : providers_) bytes += link->bytes();
  return bytes;
}

}  // namespace yoke
