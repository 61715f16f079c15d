// tests/train/agree_test.cpp: what ranks tell each other before they train.
#include "yoke/train/agree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ranks.h"
#include "tests/train/run.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/received.h"
#include "yoke/comm/text.h"
#include "yoke/train/checkpoints/checkpoint_header.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Checkpoint some_checkpoint() {
  return {.step = 7,
          .model = {{"w", torch::arange(6.0F).view({2, 3})},
                    {"batches", torch::tensor(3, torch::kInt64)},
                    {"none", torch::empty({0, 4})}},
          .optimizer = {{"velocity", torch::full({6}, 0.5F)}},
          .state = {{"epoch", 2}, {"config", {{"lr", "0.1"}}}}};
}

TEST(ShareCheckpoint, GivesTheNewestToTheRanksOfOtherHosts) {
  run_ranks(3, [](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    std::optional<Checkpoint> own;
    if (group.rank == 0) own = Checkpoint{.step = 5};
    if (group.rank == 1) own = some_checkpoint();
    const auto shared = share_checkpoint(own, *communicator);
    ASSERT_TRUE(shared.has_value());
    EXPECT_EQ(shared->step, 7);
    expect_equal(shared->model, some_checkpoint().model);
    expect_equal(shared->optimizer, some_checkpoint().optimizer);
    EXPECT_EQ(shared->state, some_checkpoint().state);
  });
}

TEST(ShareCheckpoint, SaysWhatARankSentInPlaceOfIt) {
  run_ranks(2, [](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    if (group.rank == 0) {
      EXPECT_THAT([&] { share_checkpoint(std::nullopt, *communicator); },
                  ThrowsMessage<Garbled>(HasSubstr("rank 1 does not say what its checkpoint")));
      return;
    }
    communicator->all_gather(torch::tensor({7}, torch::kInt64), torch::empty({2}, torch::kInt64));
    broadcast_text(*communicator, "nothing", 1);
  });
}

TEST(CheckpointHeader, IsRefusedWhereItIsNone) {
  const auto good = nlohmann::json::parse(header_of(some_checkpoint()));
  EXPECT_EQ(parse_checkpoint_header(good.dump(), 1).model.at(0).shape,
            (std::vector<std::int64_t>{2, 3}));
  const auto refused = [&](const nlohmann::json::json_pointer& place, const nlohmann::json& value) {
    auto header = good;
    header[place] = value;
    EXPECT_THROW(parse_checkpoint_header(header.dump(), 1), Garbled) << header;
  };
  const auto place = [](const char* text) { return nlohmann::json::json_pointer(text); };
  refused(place("/step"), -1);
  refused(place("/step"), 1e300);
  refused(place("/model"), 3);
  refused(place("/model/bytes"), 5);
  refused(place("/model/header"), R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})");
  refused(place("/model/header"), R"({"w":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})");
  refused(place("/optimizer/header"), R"([])");
}

TEST(Settings, AreRefusedWhereTheyAreNone) {
  EXPECT_THAT(parse_settings(R"({"lr": "0.1"})", 1),
              testing::ElementsAre(testing::Pair("lr", "0.1")));
  for (const char* const wrong : {"", "[]", "{\"lr\": 0.1}", "{\"lr\": \"0.1\""}) {
    EXPECT_THAT([&] { parse_settings(wrong, 1); },
                ThrowsMessage<Garbled>(HasSubstr("rank 1 does not send its flags")))
        << wrong;
  }
}

}  // namespace
}  // namespace yoke::test
