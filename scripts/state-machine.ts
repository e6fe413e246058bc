// Writes docs/state-machine.md and the diagram in docs/reference/tasks.md from the table of transitions in
// src/tasks/model/transitions.ts. With --check it writes nothing and fails if a file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TASK_STATUSES } from "../src/tasks/model/task.ts";
import {
  allowedActions,
  type CheckName,
  type GuardName,
  type Transition,
  TRANSITIONS,
} from "../src/tasks/model/transitions.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = "docs/state-machine.md";
const TASKS_PAGE = "docs/reference/tasks.md";
const STATUS_DIAGRAM = /(?<=<!-- state machine -->\n)```mermaid\n[^`]*?```/;

/** Labels of the diagram of statuses by command, or by command and last event. Other commands have their name. */
const LABELS: Readonly<Record<string, string>> = {
  assign: "an agent is assigned",
  start: "the agent begins",
  admit: "the agent begins",
  "admit resumed": "the agent continues",
  "admit declined": "the agent is disabled",
  "admit retried": "the agent is disabled",
  decline: "the agent declines",
  release: "the agent is disabled",
  endLease: "a worker's lease is lost",
  block: "needs input, budget …",
  submit: "submits for review",
  complete: "finishes",
  "complete submitted": "submits for review",
  fail: "error",
  expire: "time limit",
  "expire retried": "a worker's lease is lost",
  "review.approve": "approve",
  "review.request_changes": "request changes",
  "review.reject": "reject",
  "report.blocked": "needs input, budget …",
  "report.review": "submits for review",
  "report.completed": "finishes",
  "report.completed submitted": "submits for review",
  "report.failed": "error",
  "report.released": "a worker returns it to the queue",
};

const CHECKS: Readonly<Record<CheckName, string>> = {
  validUpdate: "deadline, context and notes are valid",
  validResponse:
    "all answers fit their limit, and an answer with limits to a budget question raises the budget",
  validRetry:
    "the caller saw this attempt fail, fewer than 100 attempts, the deadline is in the future, another agent exists if `reassign`, and context and notes are valid",
  validLease: "the token is that of the current lease, and the lease has not expired",
  validProgress: "the progress is not below the last one",
  validWork: "the saved `work` fits its limit",
  validFile: "the task has fewer than the maximum of files, or the file replaces one",
  repeatedReport:
    "the token is that of the last lease, and the report is a heartbeat or repeats the report that ended the lease",
};

const GUARDS: Readonly<Record<GuardName, string>> = {
  changesTask: "the update changes something",
  isCurrentAttempt: "the command belongs to the current attempt",
  isExpired: "the deadline or the working time has ended",
  hasNoQueue: "the agent has no queue: it is neither a worker nor limited in its concurrent tasks",
  isQueuedFor: "the task waits in the queue of this agent",
  fitsExecutor: "a worker gets a lease, and any other executor none",
  isLeaseExpired: "the lease has expired",
  hasLeaseRetries: "fewer automatic retries than the limit",
  isLeasedWithKey: "the lease belongs to this key",
  requiresReview:
    "the agent or `context.requireReview` requests a review, or a review has requested changes",
  hasNotes: "the command has notes",
};

/** An arrow of a diagram. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface Row extends Transition {
  readonly from: string;
  readonly command: string;
}

function listRows(): Row[] {
  return Object.entries(TRANSITIONS).flatMap(([from, commands]) =>
    Object.entries<readonly Transition[]>(commands).flatMap(([command, transitions]) =>
      transitions.map((transition) => ({ ...transition, from, command })),
    ),
  );
}

/** The arrows of the diagram of statuses: between public statuses. */
function statusEdges(): Edge[] {
  const statusOf = (state: string): string => (state === "queued" ? "in_progress" : state);
  return listRows().flatMap(({ from, to, command, events }) => {
    const label = LABELS[`${command} ${events.at(-1)}`] ?? LABELS[command] ?? command;
    return to === "same" ? [] : [{ from: statusOf(from), to: statusOf(to), label }];
  });
}

/** The arrows of the page's diagram: between all states, with the names of the commands. */
function stateEdges(): Edge[] {
  return listRows().flatMap(({ from, to, command }) =>
    to === "same" ? [] : [{ from, to, label: command }],
  );
}

function formatDiagram(edges: readonly Edge[]): string {
  const arrows = Map.groupBy(edges, ({ from, to }) => `${from} --> ${to}`);
  const lines = [...arrows].map(
    ([arrow, all]) => `${arrow}: ${[...new Set(all.map(({ label }) => label))].join(", ")}`,
  );
  const ends = ["completed --> [*]", "cancelled --> [*]"];
  const body = ["[*] --> pending: create", ...lines, ...ends].map((line) => `    ${line}`);
  return ["```mermaid", "stateDiagram-v2", ...body, "```"].join("\n");
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function formatState(state: string): string {
  const rows = listRows().filter(({ from }) => from === state);
  const cells = rows.map(({ command, requires = [], when = [], to, events }) => [
    code([command]),
    code(requires),
    code(when),
    to === "same" ? "unchanged" : code([to]),
    code(events),
  ]);
  const head = ["Command", "Requires", "If", "Next state", "Events"];
  return `### From \`${state}\`\n\n${formatTable(head, cells)}`;
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function formatPage(): string {
  const meanings = Object.entries({ ...CHECKS, ...GUARDS }).map(([name, text]) => [
    code([name]),
    Object.hasOwn(CHECKS, name) ? "requires" : "if",
    text,
  ]);
  const actions = TASK_STATUSES.map((status) => [code([status]), code(allowedActions(status))]);
  return `# The states of a task

This page is generated from \`TRANSITIONS\` in \`src/tasks/model/transitions.ts\`; do not edit it. To update it,
run \`node scripts/state-machine.ts\`.

A task is in one of the public statuses or in \`queued\`. A queued task has the status \`in_progress\`, but its
agent has no free slot for it or no worker holds it. The API shows it as \`in_progress\`.

${formatDiagram(stateEdges())}

## Actions of clients

${formatTable(["Status", "Actions"], actions)}

## Transitions

A command that the table does not list for a state is illegal there and changes nothing; an illegal \`report.*\`
fails because its lease is lost. A command fails if a condition under "Requires" does not hold. If the conditions
under "If" do not hold, the next row of the same command applies; without a further row nothing changes. The events
record every change, with two exceptions: the end of a lease that a heartbeat renews, and the turn that was sent to a
model or an A2A agent, are stored next to the log.

If a task's log is full, commands that end the task or submit its work are still accepted. All other commands of
clients and workers are rejected, and any other command that would add an event fails the task.

${Object.keys(TRANSITIONS).map(formatState).join("\n\n")}

## Conditions

${formatTable(["Name", "Kind", "Holds when"], meanings)}
`;
}

/** The files that the table defines, with their content. */
function generateFiles(): ReadonlyMap<string, string> {
  const tasks = readFileSync(join(ROOT, TASKS_PAGE), "utf8");
  if (!STATUS_DIAGRAM.test(tasks))
    throw new Error(
      `${TASKS_PAGE} lacks the comment <!-- state machine --> above a Mermaid diagram`,
    );
  return new Map([
    [PAGE, formatPage()],
    [TASKS_PAGE, tasks.replace(STATUS_DIAGRAM, () => formatDiagram(statusEdges()))],
  ]);
}

/** The generated files that differ from the table. */
export function findOutdated(): string[] {
  return [...generateFiles()].flatMap(([file, content]) =>
    readFileSync(join(ROOT, file), "utf8") === content ? [] : [file],
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.includes("--check")) {
    const outdated = findOutdated();
    for (const file of outdated) console.error(`${file}: run \`node scripts/state-machine.ts\``);
    process.exitCode = outdated.length === 0 ? 0 : 1;
  } else {
    for (const [file, content] of generateFiles()) writeFileSync(join(ROOT, file), content);
  }
}
