#include "yoke/comm/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/comm/checks.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/received.h"
#include "yoke/comm/shared/segment.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

/// Fails from the second operation on.
class Failing final : public Transport {
 public:
  std::string describe() const override { return "failing"; }
  void run(const Operation&) override {
    if (++runs_ > 1) throw std::runtime_error("the cable is cut\nand a trace");
  }

 private:
  int runs_ = 0;
};

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const CommError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Communicator, OverGlooOutlivesWritesToARankThatIsGone) {
  const auto disposition_after = [](void (*before)(int)) {
    ::signal(SIGPIPE, before);
    run_ranks(2, [](const Group& group) { make_communicator("gloo", group); });
    return ::signal(SIGPIPE, SIG_IGN);
  };
  void (*const handler)(int) = [](int) {};
  EXPECT_EQ(disposition_after(SIG_DFL), SIG_IGN);
  EXPECT_EQ(disposition_after(handler), handler) << "what the program does itself stays";
}

TEST(Communicator, OverGlooMayGoAsSoonAsItIsThere) {
  run_ranks(2, [](Group group) {
    group.timeout = std::chrono::seconds(20);
    for (int i = 0; i < 300; ++i) make_communicator("gloo", again(group, std::to_string(i)));
  });
}

TEST(Communicator, StaysDeadOnceAnOperationFailed) {
  Group group = group_on({2}, local_store(), 0);
  Communicator comm(group, "failing", std::make_unique<Failing>());
  const auto tensor = torch::ones({10});
  comm.set_step(17);
  comm.all_reduce(tensor);
  const std::string first = failure_of([&] { comm.all_reduce(tensor); });
  EXPECT_THAT(first, HasSubstr("all-reduce of 40 B failed on rank 0 of 2 over failing"));
  EXPECT_THAT(first, HasSubstr("in step 17: the cable is cut;"));
  EXPECT_THAT(first, HasSubstr("rank 1 is missing: it never began"));
  EXPECT_EQ(failure_of([&] { comm.broadcast(tensor, 0); }), first);
  const Work work = comm.start(Operation::all_reduce(tensor));
  EXPECT_EQ(failure_of([&] { work.wait(); }), first);
  EXPECT_EQ(failure_of([&] { work.wait(); }), first);  // as often as it is asked
  EXPECT_EQ(comm.traffic().operations, 2);
}

TEST(Communicator, WorkOutlivesIt) {
  run_ranks(2, [](const Group& group) {
    const auto tensor = torch::ones({1000});
    auto comm = make_communicator("shared-memory", group);
    const Work work = comm->start(Operation::all_reduce(tensor));
    comm.reset();
    work.wait();
    EXPECT_TRUE(tensor.equal(torch::full({1000}, 2.0F)));
  });
}

TEST(Communicator, RefusesWhatIsNotAllowed) {
  run_ranks(2, [](const Group& group) {
    const auto comm = make_communicator("gloo", group);
    EXPECT_THROW(comm->all_reduce(torch::ones({4, 4}).t().narrow(0, 0, 2)), Error);
    EXPECT_THROW(comm->all_reduce(torch::ones({4}, torch::kBool)), Error);
    EXPECT_THROW(comm->broadcast(torch::ones({4}), 2), Error);
    EXPECT_THROW(comm->send(torch::ones({4}), group.rank), Error);
    EXPECT_THROW(comm->all_gather(torch::ones({4}), torch::ones({4})), Error);
  });
}

/// What rank 0 of 4 finds whenever it looks: rank 1 is in `operation`, rank 2 is behind, and rank 3
/// beats no more.
class Beating final : public Store {
 public:
  explicit Beating(const char* operation) : operation_(operation) {}
  void set(const std::string&, const std::string&) override {}
  std::string get(const std::string& key, std::chrono::milliseconds) override {
    if (key.ends_with("/3")) return entry(5, 2, 7, "all-reduce of 4 bytes");
    return key.ends_with("/2") ? entry(++beats_, 3, 8, "") : entry(++beats_, 3, 9, operation_);
  }
  bool has(const std::string&) override { return true; }
  std::int64_t add(const std::string&, std::int64_t) override { return 0; }

 private:
  static std::string entry(int beat, int step, int operations, const char* operation) {
    return nlohmann::json{{"beat", beat},
                          {"time", 0},
                          {"left", false},
                          {"step", step},
                          {"operations", operations},
                          {"operation", operation}}
        .dump();
  }
  const char* const operation_;
  std::atomic<int> beats_ = 0;
};

TEST(Liveness, TellsWhatTheOthersAreAt) {
  using std::chrono::milliseconds;
  const auto ask = [] { return Position{.step = 3, .operations = 9, .operation = "broadcast"}; };
  const auto store = std::make_shared<Beating>("broadcast");
  const Liveness here(group_on({4}, store, 0), ask, milliseconds(100));
  const std::string text = here.diagnose();
  EXPECT_THAT(text, HasSubstr("rank 2 is behind: in step 3 after 8 operations, not in an operati"));
  EXPECT_THAT(text, HasSubstr("rank 3 is missing: last seen "));
  EXPECT_THAT(text, HasSubstr("in step 2 after 7 operations, in all-reduce of 4 bytes"));
  EXPECT_THAT(text, testing::Not(HasSubstr("rank 1"))) << "which is where this one is";
}

TEST(Liveness, TellsWhoIsInAnotherOperation) {
  const auto ask = [] { return Position{.step = 3, .operations = 9, .operation = "broadcast"}; };
  const auto store = std::make_shared<Beating>("send of 4 B to rank 0");
  const Liveness here(group_on({4}, store, 0), ask, std::chrono::milliseconds(100));
  EXPECT_THAT(here.diagnose(), HasSubstr("rank 1 is elsewhere: in step 3 after 9 operations, in "
                                         "send of 4 B to rank 0"));
}

TEST(Liveness, TellsWhoHasLeft) {
  const auto store = local_store();
  const auto ask = [] { return Position{}; };
  const Liveness here(group_on({2}, store, 0), ask);
  { const Liveness gone(group_on({2}, store, 1), ask); }
  EXPECT_THAT(here.diagnose(), HasSubstr("rank 1 has left, after 0 operations"));
}

TEST(Liveness, SaysWhoseBeatIsNone) {
  const auto store = local_store();
  store->set("progress/1", "none");
  const auto ask = [] { return Position{}; };
  const Liveness here(group_on({2}, store, 0), ask, std::chrono::milliseconds(10));
  EXPECT_THAT(here.diagnose(), HasSubstr("rank 1 does not say in the ranks' store what it is at"));
}

TEST(RankBeat, IsRefusedWhereItIsNone) {
  const std::string good = to_text({.number = 1, .time = 0, .left = false, .position = {}});
  EXPECT_EQ(parse_beat(good, 1).number, 1);
  for (const auto& [part, wrong] :
       {std::pair{"\"operations\":0", "\"operations\":-1"},
        std::pair{"\"operations\":0", "\"operations\":1e300"},
        std::pair{"\"left\":false", "\"left\":0"}, std::pair{"\"step\":-1", "\"steps\":-1"},
        std::pair{"{", "["}}) {
    std::string text = good;
    ASSERT_NE(text.find(part), std::string::npos) << text;
    text.replace(text.find(part), std::string(part).size(), wrong);
    EXPECT_THROW(parse_beat(text, 1), Garbled) << text;
  }
}

/// A store that never answers, as that of a stopped rank 0.
class Stuck final : public Store {
 public:
  void set(const std::string&, const std::string&) override { wait(); }
  std::string get(const std::string&, std::chrono::milliseconds) override { return wait(); }
  bool has(const std::string&) override { return wait().empty(); }
  std::int64_t add(const std::string&, std::int64_t) override { return 0; }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    wake_.notify_all();
  }

 private:
  std::string wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return released_; });
    throw CommError("released");
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  bool released_ = false;
};

TEST(Liveness, GivesUpOnAStoreThatDoesNotAnswer) {
  const auto stuck = std::make_shared<Stuck>();
  {
    const Liveness here(
        group_on({2}, stuck, 0), [] { return Position{}; }, std::chrono::milliseconds(10));
    EXPECT_THAT(here.diagnose(), HasSubstr("does not answer"));
  }
  stuck->release();
}

TEST(Exchange, FailsOnAllRanksWhenOneHasNoRoom) {
  run_ranks(2, [](const Group& group) {
    const std::size_t bytes = group.rank == 1 ? std::size_t{1} << 60 : 4096;
    const std::string text =
        failure_of([&] { shared::exchange(group, "region", std::vector<std::size_t>(2, bytes)); });
    EXPECT_THAT(text, HasSubstr("rank 1 on host0: no room for"));
  });
}

TEST(Auto, TakesGlooWhenThereIsNoSharedMemory) {
  // No file may grow, in /dev/shm neither.
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 100'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  run_ranks(2, [](const Group& group) {
    const auto comm = make_communicator("auto", group);
    EXPECT_EQ(comm->name(), "gloo");
    EXPECT_THAT(comm->describe(),
                HasSubstr("gloo (lo, 127.0.0.1); shared-memory cannot serve here"));
    const auto tensor = torch::ones({10});
    comm->all_reduce(tensor);
    EXPECT_TRUE(tensor.equal(torch::full({10}, 2.0F)));
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
}

TEST(Auto, TakesTheFastest) {
  run_ranks({2}, [](const Group& group) {
    EXPECT_EQ(make_communicator("auto", group)->name(), "shared-memory");
  });
  run_ranks({1, 1}, [](const Group& group) {
    EXPECT_EQ(make_communicator("auto", group)->name(), "hierarchical");
  });
  EXPECT_EQ(make_communicator("auto")->name(), "single");
}

TEST(Check, NamesTheFirstElementThatDiffers) {
  run_ranks(3, [](const Group& group) {
    const auto comm = make_communicator("check:tolerance=0", group);
    // In the order of ranks the sum is 0; gloo adds some parts in another one and gets 1.
    const float value = group.rank == 0 ? 1e8F : group.rank == 1 ? 1.0F : -1e8F;
    const auto tensor = torch::full({3000}, value);
    const std::string text = failure_of([&] { comm->all_reduce(tensor); });
    EXPECT_THAT(text, HasSubstr("elements differ, the first is element "));
    EXPECT_THAT(text, HasSubstr("1 by gloo, 0 by shared-memory"));
  });
}

}  // namespace
}  // namespace yoke::test
