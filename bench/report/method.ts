import type { LifeUse, PacedLife, Results } from "../results.ts";
import { whatItDoes } from "./contestants.ts";
import { bytesText, counted, whole } from "./digits.ts";
import { contestantsIn } from "./groups.ts";
import { oneLine } from "./table.ts";

/** How the figures were measured. */
export function methodSection({ machine, versions, works, life, pacedLife }: Results): string {
  const known = contestantsIn(works).flatMap((name) => {
    const does = whatItDoes(name);
    return does === null ? [] : [`- **${oneLine(name)}**: ${does}.`];
  });
  const used = Object.entries(versions).map(([name, version]) => oneLine(`${name} ${version}`));
  const cores = `${whole(machine.cores)} ${machine.cores === 1 ? "core" : "cores"}`;
  return [
    "## How it was measured",
    known.join("\n"),
    [...METHOD, ["Steps and alarms", alarmsText(life, pacedLife)] as const]
      .map(([what, how]) => `- **${what}.** ${how}`)
      .join("\n"),
    `Machine: ${oneLine(machine.processor)}, ${cores}, ${bytesText(machine.memoryBytes)} of memory. Versions: ${used.join(", ")}.`,
  ].join("\n\n");
}

/** Fewer alarms make a life cheaper, so the page states the counted alarms. */
function alarmsText(life: LifeUse, { pauseMs, use }: PacedLife): string {
  return `The limit runs an alarm for each of the five steps of a life, and the Agents SDK schedules each step. A life in Bosun takes this many alarms: ${counted(life.alarms)} without a pause between steps and ${counted(use.alarms)} with ${whole(pauseMs)} ms between them, including those that publish to the feed and the queues. BullMQ and pg-boss run all five steps in one job.`;
}

const METHOD = [
  [
    "Turns",
    "All contestants of a work run at the same time and take turns, round by round, so that other load on the machine affects all of them equally. The order changes each round so that no contestant often follows the same one. A warm-up round before the first is discarded. Figures are medians over the rounds. A ratio is relative to the limit's throughput in the same round; least and most are the extremes of all rounds. For the whole life, all contestants are started three times, because ratios differ between starts of the same code; its rounds are those of all three starts, each after its own warm-up.",
  ],
  [
    "Load",
    "A closed loop: requests over 16 connections and lists over 8, each of which sends the next request after a response; lives by 32 clients, each of which polls one task until it has completed, first after 0.7 of the usual duration of a life and then after each 0.15 of it. Throughput is that of this many clients, and latencies are under this load. A response with an unexpected status ends the benchmark.",
  ],
  [
    "Static assets",
    "No Worker serves any here, including Bosun: the local runtime calls a simulator of the platform's assets before each request, which takes longer than a read. In a deployment, the platform does this work.",
  ],
  [
    "Delayed work",
    "Work that a service delays is not part of the time of the request that caused it: Bosun publishes a waiting task to its feed 3 s after its creation. This is not part of the creation's time and processor time, but runs during a later turn. Its rows and requests are counted.",
  ],
  [
    "Keys and tools",
    "Creations, reads and lists use the root key, which needs no look-up; the section Authenticate has the time of other keys. Tools may call private addresses here (ALLOW_PRIVATE_EGRESS), because the HTTP tool calls a system on loopback.",
  ],
  [
    "Processor time",
    "User and system time of all processes of a contestant, as the kernel counts it: for a Worker the runtime with its simulators of D1, R2 and queues; for the others Node with PostgreSQL or Redis. The load generator is not counted, but shares the cores.",
  ],
  [
    "State",
    "All contestants store it in an in-memory file system if the machine has one, because disks differ more than contestants. PostgreSQL and Redis flush every commit, which takes almost no time there. No figure includes a network or the platform's replicas: the ratios say more about a deployed service than the absolute figures.",
  ],
  [
    "Counts",
    "Rows, object requests and D1 queries are counted at the Workers' bindings, in a separate run that is not timed; PostgreSQL counts its own rows. – means that a value cannot be counted.",
  ],
] as const;
