import type { LifeUse, PacedLife, Results } from "../results.ts";
import { whatItDoes } from "./contestants.ts";
import { bytesText, counted, whole } from "./digits.ts";
import { contestantsIn } from "./groups.ts";
import { oneLine } from "./table.ts";

/** The section that describes how the figures were measured. */
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

/** States the number of alarms, because fewer alarms make a lifecycle cheaper. */
function alarmsText(life: LifeUse, { pauseMs, use }: PacedLife): string {
  return `The baseline runs an alarm for each of the five steps of a lifecycle, and the Agents SDK schedules each step. The number of alarms per lifecycle in Bosun is ${counted(life.alarms)} without a pause between steps and ${counted(use.alarms)} with ${whole(pauseMs)} ms between them, including alarms that publish to the feed and the queues. BullMQ and pg-boss run all five steps in one job.`;
}

const METHOD = [
  [
    "Turns",
    "For each operation, all contestants are started and then take turns, round by round, so that other load on the machine affects all of them equally. The order changes each round, so that no contestant regularly follows the same one. A warm-up round is discarded. Figures are medians over the rounds. A ratio compares the throughput with the baseline's in the same round; min and max are the extremes of all rounds. Ratios of lifecycles differ between starts of the same code, so all contestants are started three times to measure lifecycles. The rounds of all three starts count, and each start has its own warm-up.",
  ],
  [
    "Load",
    "The load is a closed loop, in which each connection sends its next request only after a response. There are 16 connections, and 8 for lists. Lifecycles are run by 32 clients. Each client creates a task and polls it until it is completed: first after 0.7 times the usual duration of a lifecycle, and then at intervals of 0.15 times this duration. Throughput and latencies were measured under this load. A response with an unexpected status ends the benchmark.",
  ],
  [
    "Static assets",
    "In the benchmark, no Worker has static assets, not even Bosun. With them, the local runtime would call a simulator of the platform before each request, which takes longer than a read. In a deployment, the platform does this work.",
  ],
  [
    "Delayed work",
    "If a service delays work, the work does not count towards the time of the request that caused it. For example, Bosun publishes a waiting task to its feed 3 s after the task was created, which happens during a later turn. The rows and requests of such work are counted, but its CPU time is not part of the time to create the task.",
  ],
  [
    "Keys and tools",
    "Tasks are created, read and listed with the root key, which does not have to be looked up. The section Authenticate shows the times for other keys. `ALLOW_PRIVATE_EGRESS` is set, because the HTTP tool calls a system on loopback.",
  ],
  [
    "CPU time",
    "This is the user and system time of all processes of a contestant, as counted by the kernel. For a Worker, these are the processes of the runtime, including its simulators of D1, R2 and queues. For BullMQ and pg-boss, they are Node and the database server. The load generator uses the same cores, but is not counted.",
  ],
  [
    "State",
    "All contestants store their state in an in-memory file system if the machine has one, because disks differ more than contestants do. PostgreSQL and Redis flush every commit, which takes almost no time in memory. No figure includes a network or the platform's replication, so the ratios say more about a deployed service than the absolute figures do.",
  ],
  [
    "Counts",
    "Rows, object requests and D1 queries are counted at the Workers' bindings, in a separate run that is not timed. For PostgreSQL, the rows are those in its own statistics. A dash (–) means that a value was not counted or cannot be counted.",
  ],
] as const;
