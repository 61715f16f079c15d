#include "yoke/comm/liveness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "yoke/comm/received.h"
#include "yoke/core/system/clock.h"

namespace yoke {
namespace {

using std::chrono::milliseconds;

constexpr auto kPatience = std::chrono::seconds(1);  // with a store that may be lost

std::string progress_key(int rank) { return fmt::format("progress/{}", rank); }

using Beats = std::vector<std::optional<RankBeat>>;  // by rank

Beats read(Store& store, int size) {
  Beats beats(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    if (!store.has(progress_key(rank))) continue;
    beats[static_cast<std::size_t>(rank)] =
        parse_beat(store.get(progress_key(rank), kPatience), rank);
  }
  return beats;
}

std::string where(const Position& position) {
  const std::string step = position.step < 0 ? "" : fmt::format("in step {} ", position.step);
  return fmt::format(
      "{}after {} operations, {}", step, position.operations,
      position.operation.empty() ? "not in an operation" : "in " + position.operation);
}

/// `before` and `after` are a period apart. Ranks that moved on are alive.
std::string compare(const Beats& before, const Beats& after, int own, const Position& here) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (static_cast<int>(i) == own) continue;
    if (!after[i]) {
      words.push_back(fmt::format("rank {} is missing: it never began", i));
    } else if (const RankBeat& beat = *after[i]; beat.left) {
      words.push_back(fmt::format("rank {} has left, {}", i, where(beat.position)));
    } else if (before[i] && before[i]->number == beat.number) {
      words.push_back(fmt::format("rank {} is missing: last seen {:.0f} s ago, {}", i,
                                  seconds_since_1970() - beat.time, where(beat.position)));
    } else if (beat.position.operations < here.operations) {
      words.push_back(fmt::format("rank {} is behind: {}", i, where(beat.position)));
    } else if (beat.position.operation != here.operation) {
      words.push_back(fmt::format("rank {} is elsewhere: {}", i, where(beat.position)));
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
    } catch (const Garbled& error) {
      answer = error.what();
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

std::string to_text(const RankBeat& beat) {
  return nlohmann::json{{"beat", beat.number},
                        {"time", beat.time},
                        {"left", beat.left},
                        {"step", beat.position.step},
                        {"operations", beat.position.operations},
                        {"operation", beat.position.operation}}
      .dump();
}

RankBeat parse_beat(const std::string& text, int rank) {
  const auto what = fmt::format("rank {} does not say in the ranks' store what it is at", rank);
  return read_received(text, what, [](const nlohmann::json& json) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return RankBeat{.number = whole_number(json.at("beat"), 0, kMost),
                    .time = json.at("time").get<double>(),
                    .left = json.at("left").get<bool>(),
                    .position = {.step = whole_number(json.at("step"), -1, kMost),
                                 .operations = whole_number(json.at("operations"), 0, kMost),
                                 .operation = json.at("operation").get<std::string>()}};
  });
}

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

  void publish(std::int64_t number) {
    std::unique_lock lock(mutex);
    if (!stop) last = ask();
    const RankBeat beat{
        .number = number, .time = seconds_since_1970(), .left = stop, .position = last};
    lock.unlock();
    group.store->set(progress_key(group.rank), to_text(beat));
  }

  void serve() {
    try {
      bool left = false;
      for (std::int64_t number = 1; !left; ++number) {
        publish(number);
        std::unique_lock lock(mutex);
        wake.wait_for(lock, period, [&] { return stop; });
        left = stop;
        lock.unlock();
        if (left) publish(number + 1);
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
    const auto anyone_left = [](const Beats& beats) {
      return std::any_of(beats.begin(), beats.end(),
                         [](const auto& beat) { return beat && beat->left; });
    };
    const Beats before = read(*group.store, group.size);
    Beats after = before;
    if (!anyone_left(before)) {  // who has beaten by the next period is alive
      std::this_thread::sleep_for(state->period + state->period / 4);
      after = read(*group.store, group.size);
    }
    std::unique_lock lock(state->mutex);
    const Position here = state->stop ? state->last : state->ask();
    lock.unlock();
    // What was read once cannot tell who is silent.
    return compare(anyone_left(before) ? Beats(before.size()) : before, after, group.rank, here);
  });
}

}  // namespace yoke
