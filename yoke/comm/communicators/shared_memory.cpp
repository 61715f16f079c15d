// yoke/comm/communicators/shared_memory.cpp: between the ranks of one host, through memory that
// they share.
//
// A sum is shared out: each rank adds up one part, always in the order of ranks, and all take its
// result; so it is bitwise equal everywhere, and the same at every run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "yoke/comm/communicators/collectives.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/shared/arena.h"
#include "yoke/comm/shared/in_place.h"
#include "yoke/comm/shared/region.h"
#include "yoke/comm/shared/span.h"
#include "yoke/comm/shared/sum.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using shared::bytes_of;
using shared::Channel;
using shared::elements;
using shared::Span;
using torch::Tensor;

class SharedMemory final : public Collectives {
 public:
  explicit SharedMemory(const Group& group) : region_(group), arena_(group) {}

  std::string describe() const override {
    return fmt::format("shared-memory ({} ranks of this host)", region_.size());
  }

  void compare(const Signature& signature) override {
    region_.announce(signature);
    region_.barrier();
  }

  // Without room, which all ranks learn, tensors go through the slots of the ranks' areas.
  Tensor allocate(std::int64_t elements) override {
    try {
      return arena_.allocate(elements);
    } catch (const shared::NoSharedMemory&) {
      return torch::zeros({elements});
    }
  }

 private:
  /// The operation's own first meeting tells.
  void begin(const Signature& signature) override { region_.announce(signature); }

  void all_reduce(const Tensor& tensor) override {
    if (tensor.nbytes() <= shared::kSmallBytes) return all_reduce_small(tensor);
    const shared::Places places = arena_.everywhere(tensor.data_ptr(), tensor.nbytes());
    places.empty() ? all_reduce_chunks(tensor)
                   : shared::all_reduce_in_place(region_, tensor, places);
  }

  /// Every rank adds up everything: one meeting.
  void all_reduce_small(const Tensor& tensor) {
    const std::size_t slot = small_turn_++ % 2;
    std::memcpy(region_.own().small[slot].data(), tensor.data_ptr(), tensor.nbytes());
    region_.barrier();
    std::vector<const std::byte*> sources;
    for (int rank = 0; rank < region_.size(); ++rank) {
      sources.push_back(region_.area(rank).small[slot].data());
    }
    shared::sum(tensor.scalar_type(), sources, tensor.numel(), {bytes_of(tensor)});
  }

  /// Chunk by chunk: while a chunk is added up, the next goes in and the one before comes out.
  void all_reduce_chunks(const Tensor& tensor) {
    const auto chunks = (tensor.nbytes() + shared::kChunkBytes - 1) / shared::kChunkBytes;
    copy_in(tensor, 0);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      region_.barrier();
      if (chunk > 0) copy_out(tensor, chunk - 1);
      reduce(tensor, chunk);
      if (chunk + 1 < chunks) copy_in(tensor, chunk + 1);
    }
    region_.barrier();
    copy_out(tensor, chunks - 1);
  }

  /// The parts that others add up.
  void copy_in(const Tensor& tensor, std::size_t chunk) {
    const Span whole = chunk_of(tensor, chunk);
    auto& slot = region_.own().in[chunk % 2];
    for (int rank = 0; rank < region_.size(); ++rank) {
      if (rank == region_.rank()) continue;
      const Span theirs = part(whole, rank);
      std::memcpy(slot.data() + (theirs.begin - whole.begin), bytes_of(tensor) + theirs.begin,
                  theirs.size());
    }
  }

  /// This rank's part, for itself and for the others.
  void reduce(const Tensor& tensor, std::size_t chunk) {
    const Span whole = chunk_of(tensor, chunk), own = part(whole, region_.rank());
    if (own.size() == 0) return;
    std::vector<const std::byte*> sources;
    for (int rank = 0; rank < region_.size(); ++rank) {
      const auto& slot = region_.area(rank).in[chunk % 2];
      sources.push_back(rank == region_.rank() ? bytes_of(tensor) + own.begin
                                               : slot.data() + (own.begin - whole.begin));
    }
    shared::sum(tensor.scalar_type(), sources, elements(tensor, own),
                {bytes_of(tensor) + own.begin,
                 region_.own().out[chunk % 2].data() + (own.begin - whole.begin)});
  }

  void copy_out(const Tensor& tensor, std::size_t chunk) {
    const Span whole = chunk_of(tensor, chunk);
    for (int rank = 0; rank < region_.size(); ++rank) {
      if (rank == region_.rank()) continue;
      const Span theirs = part(whole, rank);
      std::memcpy(bytes_of(tensor) + theirs.begin,
                  region_.area(rank).out[chunk % 2].data() + (theirs.begin - whole.begin),
                  theirs.size());
    }
  }

  void reduce_scatter(const Tensor& input, const Tensor& output) override {
    const shared::Places places = arena_.everywhere(input.data_ptr(), input.nbytes());
    places.empty() ? reduce_scatter_pieces(input, output)
                   : shared::reduce_scatter_in_place(region_, places, output);
  }

  void all_gather(const Tensor& input, const Tensor& output) override {
    const shared::Places places = arena_.everywhere(output.data_ptr(), output.nbytes());
    places.empty() ? all_gather_chunks(input, output)
                   : shared::all_gather_in_place(region_, input, output, places);
  }

  // Slots hold one piece per rank, of the part that this rank adds up.
  void reduce_scatter_pieces(const Tensor& input, const Tensor& output) {
    const std::size_t n = output.nbytes(), piece = piece_bytes();
    for (std::size_t begin = 0, turn = 0; begin < n; begin += piece, ++turn) {
      const std::size_t count = std::min(piece, n - begin);
      const auto place = [&](int rank) { return index(rank) * piece; };
      for (int rank = 0; rank < region_.size(); ++rank) {
        std::memcpy(region_.own().in[turn % 2].data() + place(rank),
                    bytes_of(input) + index(rank) * n + begin, count);
      }
      region_.barrier();
      std::vector<const std::byte*> sources;
      for (int rank = 0; rank < region_.size(); ++rank) {
        sources.push_back(region_.area(rank).in[turn % 2].data() + place(region_.rank()));
      }
      shared::sum(output.scalar_type(), sources, elements(output, {0, count}),
                  {bytes_of(output) + begin});
    }
    region_.barrier();  // the slots may be written again
  }

  void all_gather_chunks(const Tensor& input, const Tensor& output) {
    const std::size_t n = input.nbytes();
    for (std::size_t begin = 0, turn = 0; begin < n; begin += shared::kChunkBytes, ++turn) {
      const std::size_t count = std::min(shared::kChunkBytes, n - begin);
      std::memcpy(region_.own().in[turn % 2].data(), bytes_of(input) + begin, count);
      region_.barrier();
      for (int rank = 0; rank < region_.size(); ++rank) {
        std::memmove(bytes_of(output) + index(rank) * n + begin,
                     region_.area(rank).in[turn % 2].data(), count);
      }
    }
    region_.barrier();  // the slots may be written again
  }

  void broadcast(const Tensor& tensor, int root) override {
    const std::size_t n = tensor.nbytes();
    for (std::size_t begin = 0, turn = 0; begin < n; begin += shared::kChunkBytes, ++turn) {
      const std::size_t count = std::min(shared::kChunkBytes, n - begin);
      std::byte* const slot = region_.area(root).in[turn % 2].data();
      if (region_.rank() == root) std::memcpy(slot, bytes_of(tensor) + begin, count);
      region_.barrier();
      if (region_.rank() != root) std::memcpy(bytes_of(tensor) + begin, slot, count);
    }
    region_.barrier();  // the slots may be written again
  }

  void send(const Tensor& tensor, int to) override {
    Channel& channel = region_.channel(region_.rank(), to);
    const Signature signature = signature_of(Operation::send(tensor, to));
    for (std::size_t begin = 0; begin < tensor.nbytes(); begin += shared::kChannelBytes) {
      const std::uint32_t number = channel.sent.value();
      region_.await(channel.taken, number - 1, to);
      std::memcpy(channel.slots[number % 2].data(), bytes_of(tensor) + begin,
                  std::min(shared::kChannelBytes, tensor.nbytes() - begin));
      channel.doing[number % 2] = signature;
      channel.sent.set(number + 1);
    }
  }

  void receive(const Tensor& tensor, int from) override {
    Channel& channel = region_.channel(from, region_.rank());
    const Signature signature = signature_of(Operation::receive(tensor, from));
    for (std::size_t begin = 0; begin < tensor.nbytes(); begin += shared::kChannelBytes) {
      const std::uint32_t number = channel.taken.value();
      region_.await(channel.sent, number + 1, from);
      check_sent(channel.doing[number % 2], signature, from);
      std::memcpy(bytes_of(tensor) + begin, channel.slots[number % 2].data(),
                  std::min(shared::kChannelBytes, tensor.nbytes() - begin));
      channel.taken.set(number + 1);
    }
  }

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  static Span chunk_of(const Tensor& tensor, std::size_t chunk) {
    const std::size_t begin = chunk * shared::kChunkBytes;
    return {begin, std::min(tensor.nbytes(), begin + shared::kChunkBytes)};
  }

  Span part(const Span& whole, int rank) const {
    return shared::part_of(whole, rank, region_.size());
  }

  /// Of a rank in a slot that all ranks share: whole cache lines.
  std::size_t piece_bytes() const {
    return shared::kChunkBytes / static_cast<std::size_t>(region_.size()) / 64 * 64;
  }

  shared::SharedRegion region_;
  shared::Arena arena_;
  std::size_t small_turn_ = 0;
};

void check_one_host(const Group& group) {
  if (group.one_host()) return;
  const auto near = group.neighbours();
  for (int rank = 0; rank < group.size; ++rank) {
    if (std::find(near.begin(), near.end(), rank) != near.end()) continue;
    throw UsageError(
        fmt::format("communicator 'shared-memory' serves the ranks of one host; rank {} is on {} "
                    "and rank {} on "
                    "{}, which share no /dev/shm; give --comm auto, hierarchical or gloo",
                    group.rank, group.peers[static_cast<std::size_t>(group.rank)].host, rank,
                    group.peers[static_cast<std::size_t>(rank)].host));
  }
}

std::unique_ptr<Transport> make_shared_memory(const Group& group, const NoOptions&) {
  if (group.size == 1) return nullptr;
  check_one_host(group);
  return std::make_unique<SharedMemory>(group);
}

}  // namespace

CommunicatorPlugin shared_memory_communicator() {
  return {no_options(), make_shared_memory,
          CommunicatorTraits{.plan = forecast::CommunicatorPlan{
                                 .between = kGloo, .within = kSharedMemory, .one_host = true}}};
}

}  // namespace yoke
