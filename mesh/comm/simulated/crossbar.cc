// SPDX-License-Identifier: BSD-3-Clause
//
// A network for SimGrid, loaded by scripts/simulate --network crossbar.  All messages that a node sends at a time share
// its one link; nothing else is shared, not even the link of the node that they come to.  So what a message does to
// others ends with its sender's, and thousands of nodes can be simulated: on a fat tree or a torus SimGrid weighs all
// messages under way against each other whenever one ends.
//
// From the environment: CROSSBAR_NODES; CROSSBAR_BANDWIDTH, bytes per second; CROSSBAR_LATENCY, seconds; and
// CROSSBAR_DEATH, "NODE SECONDS", if one dies.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

static double number(const char *name)
{
  const char *text = std::getenv(name);
  return text ? std::atof(text) : 0.0;
}

extern "C" void load_platform(const s4u::Engine &)
{
  const double bandwidth = number("CROSSBAR_BANDWIDTH"), latency = number("CROSSBAR_LATENCY"), flops = 1e9;
  const int nodes = static_cast<int>(number("CROSSBAR_NODES"));
  const char *death = std::getenv("CROSSBAR_DEATH");
  int dies = -1;
  double when = 0.0;
  if (death) std::sscanf(death, "%d %lf", &dies, &when);
  s4u::NetZone *zone = s4u::create_star_zone("crossbar");
  for (int i = 0; i < nodes; i++) {
    const std::string name = "node-" + std::to_string(i);
    s4u::Host *host = zone->create_host(name, flops);
    const s4u::Link *out = zone->create_link(name + "-out", bandwidth)->set_latency(latency)->seal();
    const s4u::Link *self = zone->create_link(name + "-self", bandwidth)->set_latency(0.0)->seal();
    auto *point = host->get_netpoint();
    zone->add_route(point, point, nullptr, nullptr, {s4u::LinkInRoute(self)}, false);
    zone->add_route(point, nullptr, nullptr, nullptr, {s4u::LinkInRoute(out)}, false);
    zone->add_route(nullptr, point, nullptr, nullptr, std::vector<s4u::LinkInRoute>{}, false);
    if (i == dies)
      host->set_state_profile(
        simgrid::kernel::profile::ProfileBuilder::from_string("death", std::to_string(when) + " 0\n", -1));
    host->seal();
  }
  zone->seal();
}
