// tests/forecast/calibrated.h: a calibration with round numbers.
#pragma once
#include "yoke/comm/factory.h"
#include "yoke/forecast/calibration.h"
#include "yoke/forecast/prediction.h"
#include "yoke/parallel/strategy.h"

namespace yoke::test {

/// Bytes on the wire for a byte of payload.
inline constexpr double kFrames = 1538.0 / 1448;

/// A step of 1 ms and 0.1 ms for each image on one thread, half of that on two; 0.6 of it forward
/// and backward; no spread, nobody waits for data.
inline forecast::Layout round_layout(int ranks, int threads) {
  forecast::Layout layout{.ranks = ranks, .threads = threads, .batches = {}, .ready = {1.0, 0.5}};
  for (const std::int64_t images : {4, 64, 256}) {
    const double seconds = (1e-3 + 1e-4 * static_cast<double>(images)) / threads;
    layout.batches.push_back({.images = images,
                              .samples = 100,
                              .mean = seconds,
                              .lower = seconds,
                              .upper = seconds,
                              .spread = 0,
                              .data_wait = 0,
                              .gradient = 0.6 * seconds,
                              .memory_bytes = 100'000'000 + 1000 * images});
  }
  return layout;
}

/// Sums over two ranks: 0.2 ms and 1 ns a byte by gloo (so 0.1 ms a message), 0.01 ms and 0.1 ns a
/// byte in shared memory.
inline forecast::CommunicatorTimes round_communicator(const std::string& name, double latency,
                                                      double seconds_per_byte) {
  forecast::CommunicatorTimes times{.name = name, .ranks = 2, .points = {}, .least = {}};
  for (const double bytes : {1e3, 1e6}) {
    times.points.emplace_back(bytes, latency + bytes * seconds_per_byte);
  }
  times.least = times.points;
  return times;
}

/// One million parameters in two tensors, 10,240 images, two cores.
inline forecast::Calibration round_calibration() {
  forecast::Calibration calibration;
  calibration.date = "2026-01-31 12:00 UTC";
  calibration.host = "here";
  calibration.cpu = "a processor";
  calibration.cores = 2;
  calibration.versions = {{"yoke", "0.1.0"}};
  calibration.flags = {{"--model", "lab-cnn"}};
  calibration.train_images = 10'240;
  calibration.parameters = {400'000, 600'000};
  calibration.optimizer_state_bytes = 4'000'000;
  calibration.loader_images_per_second = 1e5;
  calibration.checkpoint = {.pause = 0.01, .write = 0.1, .bytes = 8'000'000};
  calibration.layouts = {round_layout(1, 1), round_layout(1, 2), round_layout(2, 1)};
  calibration.communicators = {round_communicator("gloo", 2e-4, 1e-9),
                               round_communicator("shared-memory", 1e-5, 1e-10)};
  return calibration;
}

/// Hosts of one core that never fail, on links that cost nothing.
inline forecast::Cluster free_cluster(std::int64_t hosts) {
  return {.hosts = hosts,
          .ranks_per_host = 1,
          .cores_per_host = 1,
          .beside = 1,
          .link_bytes_per_second = 1e18,
          .link_latency_seconds = 0,
          .slow = {},
          .host_mean_between_failures = 0,
          .restart_seconds = 0};
}

inline forecast::Job job(const std::string& strategy = "allreduce", std::int64_t batch_size = 256) {
  return {.batch_size = batch_size,
          .per_rank = false,
          .strategy = plan_strategy(strategy),
          .comm = plan_communicator("auto"),
          .splits = true};
}

/// Strategies to compare with.
inline std::vector<forecast::StrategyPlan> others() {
  return {plan_strategy("allreduce"), plan_strategy("averaging"), plan_strategy("hogwild"),
          plan_strategy("parameter-server")};
}

}  // namespace yoke::test
