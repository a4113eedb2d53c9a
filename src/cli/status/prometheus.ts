import type { DaemonStatus, PeerStatus } from "../../daemon/control-protocol.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The status in Prometheus' text format, for a node exporter's textfile directory or a scrape by command. */
export function prometheusText(status: DaemonStatus | undefined, running: boolean): string {
  const metrics = [daemonUp(running), ...(status && running ? [...daemonMetrics(status), ...peerMetrics(status.peers)] : [])];
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(describe)
    .join("");
}

function daemonUp(running: boolean): Metric {
  return gauge("ccm_up", "Whether the daemon of this user answers.", [[{}, Number(running)]]);
}

function daemonMetrics({ daemon, machine, members }: DaemonStatus): Metric[] {
  const { version, commit } = daemon;
  return [
    gauge("ccm_build_info", "What runs, in the labels.", [[{ version, commit, machine: machine.label }, 1]]),
    gauge("ccm_start_time_seconds", "When the daemon started, in seconds since the epoch.", [[{}, daemon.startedAt / 1000]]),
    gauge("ccm_members", "Sessions of this machine that the other machines are told of.", [[{}, members]]),
  ];
}

function peerMetrics(peers: readonly PeerStatus[]): Metric[] {
  const each = (value: (peer: PeerStatus) => number): Sample[] => peers.map((peer) => [{ peer: peer.label }, value(peer)]);
  return [
    gauge(
      "ccm_peer_linked",
      "Whether members and messages flow to and from the machine.",
      each(({ state }) => Number(state === "linked")),
    ),
    gauge(
      "ccm_peer_state_since_seconds",
      "Since when the link is in its state.",
      each(({ since }) => since / 1000),
    ),
    gauge(
      "ccm_peer_members",
      "Sessions of the machine that are listed here.",
      each(({ members }) => members),
    ),
    counter(
      "ccm_peer_sent_messages_total",
      "Messages to the machine since the daemon started.",
      each(({ counters }) => counters.sent),
    ),
    counter(
      "ccm_peer_received_messages_total",
      "Messages from the machine.",
      each(({ counters }) => counters.received),
    ),
    counter(
      "ccm_peer_failed_messages_total",
      "Messages to the machine that failed.",
      each(({ counters }) => counters.failed),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: "counter", help, samples };
}

function describe({ name, type, help, samples }: Metric): string {
  const lines = samples.map(([labels, value]) => `${name}${describeLabels(labels)} ${value}`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
}

function describeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
