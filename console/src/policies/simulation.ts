import type { Schemas } from "../api/client.ts";
import { policyBody, type PolicyDraft } from "./policy-form.ts";

export type SimulationBody = Schemas["SimulatePolicyBody"];
export type Simulation = Schemas["PolicySimulation"];

/** The periods that end now, by their length in hours. */
export const PERIODS = [
  { hours: 1, label: "The last hour" },
  { hours: 24, label: "The last 24 hours" },
  { hours: 7 * 24, label: "The last 7 days" },
  { hours: 31 * 24, label: "The last 31 days" },
] as const;

const HOUR_MS = 3_600_000;

/** The policy to try out. The name and the reason do not matter for that, so they can still be empty. */
export function simulatedPolicy(
  draft: PolicyDraft,
  when: Schemas["Policy"]["when"],
): SimulationBody["policy"] {
  const body = policyBody(draft, when);
  return { ...body, name: body.name || "Test", reason: body.reason || "Test" };
}

export function periodOf(hours: number, now: number): Pick<SimulationBody, "from" | "to"> {
  const [from, to] = [now - hours * HOUR_MS, now].map((at) => new Date(at).toISOString());
  return { from: from ?? "", to: to ?? "" };
}

/** The result of several pages. */
export function addPage(before: Simulation | null, page: Simulation): Simulation {
  if (before === null) return page;
  const cutTasks = before.cutTasks + page.cutTasks;
  const undecided = before.undecided + page.undecided;
  const calls = [...before.calls, ...page.calls];
  return {
    ...page,
    calls,
    matched: calls.length,
    examined: before.examined + page.examined,
    tasks: before.tasks + page.tasks,
    undecided,
    cutTasks,
    complete: page.nextCursor === null && cutTasks === 0 && undecided === 0,
  };
}

/** What the result says, in sentences. */
export function describeSimulation({
  calls,
  examined,
  tasks,
  undecided,
  cutTasks,
  nextCursor,
}: Simulation): readonly string[] {
  const denied = calls.filter(({ effect }) => effect === "deny").length;
  const summary = `Of ${count(examined, "recorded call")} in ${count(tasks, "task")}, ${denied} would have been denied, and ${calls.length - denied} would have needed approval.`;
  return [
    summary,
    ...(undecided > 0
      ? [
          `${count(undecided, "call")} could not be decided about, because not all parameters are recorded or the capability no longer exists.`,
        ]
      : []),
    ...(cutTasks > 0
      ? [`In ${count(cutTasks, "task")}, only the newest calls were examined.`]
      : []),
    ...(nextCursor === null ? [] : ["Older tasks were not examined yet."]),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
