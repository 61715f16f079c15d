#include "yoke/comm/liveness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "yoke/core/system/clock.h"

namespace yoke {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr auto kPatience = std::chrono::seconds(1);  // with a store that may be lost

std::string progress_key(int rank) { return fmt::format("progress/{}", rank); }

/// What a rank has published.
struct Entry {
  std::int64_t beat = 0;
  double time = 0;
  bool left = false;
  Position position;
};

std::string to_text(const Entry& entry) {
  return Json{{"beat", entry.beat},
              {"time", entry.time},
              {"left", entry.left},
              {"step", entry.position.step},
              {"operations", entry.position.operations},
              {"operation", entry.position.operation}}
      .dump();
}

Entry to_entry(const std::string& text) {
  const Json json = Json::parse(text);
  return {.beat = json.at("beat"),
          .time = json.at("time"),
          .left = json.at("left"),
          .position = {.step = json.at("step"),
                       .operations = json.at("operations"),
                       .operation = json.at("operation")}};
}

using Entries = std::vector<std::optional<Entry>>;  // by rank

Entries read(Store& store, int size) {
  Entries entries(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    if (!store.has(progress_key(rank))) continue;
    entries[static_cast<std::size_t>(rank)] = to_entry(store.get(progress_key(rank), kPatience));
  }
  return entries;
}

std::string where(const Position& position) {
  const std::string step = position.step < 0 ? "" : fmt::format("in step {} ", position.step);
  return fmt::format(
      "{}after {} operations, {}", step, position.operations,
      position.operation.empty() ? "not in an operation" : "in " + position.operation);
}

/// `before` and `after` are a period apart. Ranks that moved on are alive.
std::string compare(const Entries& before, const Entries& after, int own, const Position& here) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (static_cast<int>(i) == own) continue;
    if (!after[i]) {
      words.push_back(fmt::format("rank {} is missing: it never began", i));
    } else if (const Entry& entry = *after[i]; entry.left) {
      words.push_back(fmt::format("rank {} has left, {}", i, where(entry.position)));
    } else if (before[i] && before[i]->beat == entry.beat) {
      words.push_back(fmt::format("rank {} is missing: last seen {:.0f} s ago, {}", i,
                                  seconds_since_1970() - entry.time, where(entry.position)));
    } else if (entry.position.operations < here.operations) {
      words.push_back(fmt::format("rank {} is behind: {}", i, where(entry.position)));
    } else if (entry.position.operation != here.operation) {
      words.push_back(fmt::format("rank {} is elsewhere: {}", i, where(entry.position)));
    }
  }
  return words.empty() ? "every rank answers" : fmt::format("{}", fmt::join(words, "; "));
}

/// Calls `work` in a thread; leaves it to itself when it takes longer than `limit`.
std::string within(milliseconds limit, std::function<std::string()> work) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<std::string> answer;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, work = std::move(work)] {
    std::string answer;
    try {
      answer = work();
    } catch (const std::exception&) {
      answer = "the ranks' store is lost: did rank 0 end?";
    }
    const std::lock_guard lock(shared->mutex);
    shared->answer = answer;
    shared->ready.notify_all();
  }).detach();
  std::unique_lock lock(shared->mutex);
  shared->ready.wait_for(lock, limit, [&] { return shared->answer.has_value(); });
  return shared->answer.value_or("the ranks' store does not answer: rank 0 is stopped or cut off");
}

}  // namespace

/// Shared with the thread, which a lost store may hold up for longer than the owner lives.
struct Liveness::State {
  Group group;
  milliseconds period;

  std::mutex mutex;  // guards what follows
  Ask ask;
  Position last;
  std::condition_variable wake;
  bool stop = false;
  bool ended = false;

  void publish(std::int64_t beat) {
    std::unique_lock lock(mutex);
    if (!stop) last = ask();
    const Entry entry{.beat = beat, .time = seconds_since_1970(), .left = stop, .position = last};
    lock.unlock();
    group.store->set(progress_key(group.rank), to_text(entry));
  }

  void serve() {
    try {
      bool left = false;
      for (std::int64_t beat = 1; !left; ++beat) {
        publish(beat);
        std::unique_lock lock(mutex);
        wake.wait_for(lock, period, [&] { return stop; });
        left = stop;
        lock.unlock();
        if (left) publish(beat + 1);
      }
    } catch (const std::exception&) {
      // The store went with rank 0: there is nobody to tell.
    }
    const std::lock_guard lock(mutex);
    ended = true;
    wake.notify_all();
  }
};

Liveness::Liveness(const Group& group, Ask ask, milliseconds period)
    : state_(std::make_shared<State>()) {
  state_->group = group;
  state_->period = period;
  state_->ask = std::move(ask);
  thread_ = std::thread([state = state_] { state->serve(); });
}

Liveness::~Liveness() {
  std::unique_lock lock(state_->mutex);
  state_->last = state_->ask();
  state_->stop = true;
  state_->wake.notify_all();
  const bool ended = state_->wake.wait_for(lock, kPatience, [&] { return state_->ended; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

std::string Liveness::diagnose() const {
  const auto limit = 2 * kPatience + 2 * state_->period;
  return within(limit, [state = state_] {
    const auto& group = state->group;
    const auto anyone_left = [](const Entries& entries) {
      return std::any_of(entries.begin(), entries.end(),
                         [](const auto& entry) { return entry && entry->left; });
    };
    const Entries before = read(*group.store, group.size);
    Entries after = before;
    if (!anyone_left(before)) {  // who has beaten by the next period is alive
      std::this_thread::sleep_for(state->period + state->period / 4);
      after = read(*group.store, group.size);
    }
    std::unique_lock lock(state->mutex);
    const Position here = state->stop ? state->last : state->ask();
    lock.unlock();
    // What was read once cannot tell who is silent.
    return compare(anyone_left(before) ? Entries(before.size()) : before, after, group.rank, here);
  });
}

}  // namespace yoke
