import type { LifeUse, PacedLife, Results } from "../results.ts";
import { whatItDoes } from "./contestants.ts";
import { bytesText, counted, whole } from "./digits.ts";
import { contestantsIn } from "./groups.ts";
import { oneLine } from "./table.ts";

/** How the figures came about: whoever doubts one finds here what it is of. */
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

/** Who has fewer alarms has an easier life: the counts tell, whatever a contestant is said to do. */
function alarmsText(life: LifeUse, { pauseMs, use }: PacedLife): string {
  return `The limit takes an alarm for each of the five steps of a life, and the Agents SDK schedules each. A life of this service takes ${counted(life.alarms)} alarms without a pause between steps and ${counted(use.alarms)} with ${whole(pauseMs)} ms between them, those included that tell its feed and queues. BullMQ and pg-boss do all five in one job.`;
}

const METHOD = [
  [
    "Turns",
    "The contestants of a work are up at the same time, and do it one after the other, round by round and in an order that moves on by one each round, so that whatever else the machine does meets all alike. The round before the first warms them up and is thrown away. Figures are medians over the rounds. A ratio is to the limit's throughput in the same round; least and most are those of any round.",
  ],
  [
    "Load",
    "A closed loop: requests over 16 connections, lists over 8, each of which asks again once it is answered; lives by 32 clients, each of which sees a task to its end before it creates the next, first looks after 0.7 of what lives took of late and then after each 0.15 of it. So throughput is what that many clients get, and latencies are under that load. An answer of another status ends the benchmark.",
  ],
  [
    "Static assets",
    "No Worker has any here, this service neither: the runtime that runs Workers locally asks a simulator of the platform's assets before each request, which takes longer than a read. Deployed, that is the platform's own work.",
  ],
  [
    "What is put off",
    "Work that a service leaves for later is in no time of the request that caused it: this service tells its feed of a task that waits 3 s after its creation. That falls outside of the creation's time and processor time, and into whoever's turn comes then. Rows and requests of it are counted.",
  ],
  [
    "Keys and tools",
    "Creations, reads and lists use the root key, which needs no look-up; Authenticate has the time of other keys. Tools may call private addresses here (ALLOW_PRIVATE_EGRESS), as the system that the HTTP tool calls is on the loopback.",
  ],
  [
    "Who pays for what",
    "Processor time, user and system, is that of all processes of a contestant, as the kernel counts it: for a Worker the runtime with its simulators of D1, R2 and queues; for the others Node and the PostgreSQL or Redis behind it. The generator of the load is nobody's cost, but shares the cores.",
  ],
  [
    "State",
    "All keep it in a file system in memory where the machine has one, as disks differ more than contestants do. PostgreSQL and Redis flush every commit, which takes next to nothing there. Neither a network nor the platform's replicas are in any figure: the ratios say more of a deployed service than the figures do.",
  ],
  [
    "Counts",
    "Rows, requests of objects and D1 queries are counted by watching the Workers' bindings, in a run of its own that is not timed; PostgreSQL's rows by PostgreSQL. – stands where nobody can count.",
  ],
] as const;
