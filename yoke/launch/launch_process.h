// yoke/launch/launch_process.h: one process of a launch: what it watches, and its loop.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <zmq.hpp>

#include "yoke/launch/agent/agent.h"
#include "yoke/launch/agent/console.h"
#include "yoke/launch/agent/reaper.h"
#include "yoke/launch/event_loop.h"
#include "yoke/launch/launch.h"
#include "yoke/launch/rendezvous/coordinator.h"
#include "yoke/launch/signals.h"

namespace yoke::launch {

/// The parts a process may have; those it needs are made by whoever runs it.
struct LaunchProcess {
  explicit LaunchProcess(bool hangup_is_terminate);

  /// Writes `yoke run: SENTENCE` on standard error.
  void say(const std::string& sentence);
  /// Runs until the coordinator, or without one the agent, is done. `tick` is called with them.
  Outcome run(std::chrono::duration<double> interval, const std::function<void()>& tick = {});

  EventLoop loop;
  Signals signals;
  zmq::context_t context;
  Console out, err;
  std::unique_ptr<Coordinator> coordinator;
  std::unique_ptr<Agent> agent;
};

/// What the agent of this host needs for `config`. `endpoint` is the coordinator's.
AgentOptions agent_options(const LaunchConfig& config, const LaunchPlan& plan,
                           const LaunchContext& context, const Reaper& reaper,
                           const std::string& endpoint);

/// Prints what is to be said of `outcome`; the exit status.
int conclude(LaunchProcess& process, const Outcome& outcome);

}  // namespace yoke::launch
