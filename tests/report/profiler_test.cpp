#include "yoke/report/profile/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "yoke/core/error.h"
#include "yoke/core/system/thread_name.h"
#include "yoke/report/profile/trace_events.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::Not;

void work(const char* name) {
  RECORD_USER_SCOPE(name);
  static_cast<void>(torch::ones({3}).add(1));
}

ProfiledSpan find(const Profile& profile, const std::string& name) {
  for (const auto& span : profile.spans) {
    if (span.name == name) return span;
  }
  throw std::runtime_error("no span " + name);
}

TEST(Profiler, RecordsScopesAndOperatorsOfEveryThread) {
  work("before");
  Profiler profiler;
  work("here");
  std::thread([] {
    name_thread("another");
    work("there");
  }).join();
  std::thread stays([&] {
    name_thread("stays");
    work("too");
    const Profile profile = profiler.stop();
    EXPECT_THAT(profile.threads, Contains(testing::Pair(thread_number(), "stays")));
    EXPECT_THAT(profile.spans, Not(Contains(Field(&ProfiledSpan::name, "before"))));
    const ProfiledSpan here = find(profile, "here");
    EXPECT_EQ(here.scope, at::RecordScope::USER_SCOPE);
    EXPECT_LT(here.begin, here.end);
    EXPECT_NE(find(profile, "there").thread, here.thread);
    EXPECT_THAT(profile.spans, Contains(AllOf(Field(&ProfiledSpan::name, "aten::add"),
                                              Field(&ProfiledSpan::thread, here.thread),
                                              Field(&ProfiledSpan::begin, testing::Ge(here.begin)),
                                              Field(&ProfiledSpan::end, testing::Le(here.end)))));
  });
  stays.join();
  work("after");
  EXPECT_TRUE(profiler.stop().spans.empty());
}

TEST(Profiler, LeavesOutSpansThatOutliveIt) {
  std::optional<Profiler> profiler(std::in_place);
  {
    RECORD_USER_SCOPE("outlives it");
    EXPECT_TRUE(profiler->stop().spans.empty());
    profiler.reset();
  }
  EXPECT_TRUE(Profiler().stop().spans.empty());
}

TEST(Profiler, IsAloneInItsProcess) {
  {
    const Profiler first;
    EXPECT_THROW(Profiler(), Error);
    work("first still records");
  }
  EXPECT_NO_THROW(Profiler());
}

TEST(Profiler, CountsWhatItLeavesOut) {
  Profiler profiler;
  constexpr std::int64_t kMore = 3;
  for (std::int64_t i = 0; i < Profiler::kMostSpans + kMore; ++i) {
    RECORD_USER_SCOPE("short");
  }
  const Profile profile = profiler.stop();
  EXPECT_EQ(static_cast<std::int64_t>(profile.spans.size()), Profiler::kMostSpans);
  EXPECT_EQ(profile.left_out, kMore);
}

TEST(TraceEvents, AreJsonThatViewersRead) {
  const Profile profile{.spans = {{.name = "a \"name\" \xff",
                                   .scope = at::RecordScope::USER_SCOPE,
                                   .thread = 7,
                                   .begin = 1500,
                                   .end = 4000}},
                        .threads = {{7, "loader 0"}}};
  const auto first = trace_events(profile, {.rank = 0, .host = "here"});
  const auto second = trace_events(profile, {.rank = 1, .host = "there"});
  EXPECT_TRUE(are_trace_events(first));
  EXPECT_FALSE(are_trace_events(first + "]"));
  const auto file = nlohmann::json::parse(trace_file({first, second}));
  const auto& events = file.at("traceEvents");
  const auto complete = [&](int rank) {
    for (const auto& event : events) {
      if (event.at("ph") == "X" && event.at("pid") == rank) return event;
    }
    return nlohmann::json();
  };
  EXPECT_EQ(complete(1), nlohmann::json({{"ph", "X"},
                                         {"cat", "user_annotation"},
                                         {"name", "a \"name\" \ufffd"},
                                         {"pid", 1},
                                         {"tid", 7},
                                         {"ts", 1.5},
                                         {"dur", 2.5}}));
  EXPECT_EQ(complete(0).at("pid"), 0);
  EXPECT_THAT(events, Contains(nlohmann::json({{"ph", "M"},
                                               {"name", "process_name"},
                                               {"pid", 1},
                                               {"tid", 0},
                                               {"args", {{"name", "rank 1 on there"}}}})));
  EXPECT_THAT(events, Contains(nlohmann::json({{"ph", "M"},
                                               {"name", "thread_name"},
                                               {"pid", 0},
                                               {"tid", 7},
                                               {"args", {{"name", "loader 0"}}}})));
}

}  // namespace
}  // namespace yoke
