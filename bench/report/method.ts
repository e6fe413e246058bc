import type { Results } from "../results.ts";
import { whatItDoes } from "./contestants.ts";
import { bytesText, whole } from "./digits.ts";
import { contestantsIn } from "./groups.ts";
import { oneLine } from "./table.ts";

/** How the figures came about: whoever doubts one finds here what it is of. */
export function methodSection({ machine, versions, works }: Results): string {
  const known = contestantsIn(works).flatMap((name) => {
    const does = whatItDoes(name);
    return does === null ? [] : [`- **${oneLine(name)}**: ${does}.`];
  });
  const used = Object.entries(versions).map(([name, version]) => oneLine(`${name} ${version}`));
  const cores = `${whole(machine.cores)} ${machine.cores === 1 ? "core" : "cores"}`;
  return [
    "## How it was measured",
    known.join("\n"),
    METHOD.map(([what, how]) => `- **${what}.** ${how}`).join("\n"),
    `Machine: ${oneLine(machine.processor)}, ${cores}, ${bytesText(machine.memoryBytes)} of memory. Versions: ${used.join(", ")}.`,
  ].join("\n\n");
}

const METHOD = [
  [
    "Turns",
    "The contestants of a work are up at the same time, and do it one after the other, round by round, so that whatever else the machine does meets all alike. The round before the first warms them up and is thrown away. Figures are medians over the rounds. A ratio is to the limit's throughput in the same round; least and most are those of any round.",
  ],
  [
    "Load",
    "A closed loop: requests over 16 connections, lists over 8, each of which asks again once it is answered; lives by 32 clients, each of which sees a task to its end before it creates the next, and first looks when the task should be done by what the others took. So throughput is what that many clients get, and latencies are under that load. An answer of another status ends the benchmark.",
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
