// Generates docs/state-machine.md and the diagram in docs/reference/tasks.md from the transition table in
// src/tasks/model/transitions.ts. With --check, it writes nothing and fails if a file is out of date.
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

/** Edge labels in the status diagram, by command, or by command and last event. The default is the command name. */
const LABELS: Readonly<Record<string, string>> = {
  assign: "agent assigned",
  start: "agent starts",
  admit: "agent starts",
  "admit resumed": "agent continues",
  "admit declined": "agent disabled",
  "admit retried": "agent disabled",
  decline: "agent declines",
  release: "agent disabled",
  endLease: "worker loses its lease",
  cancel: "cancelled",
  update: "given to another agent",
  respond: "question answered",
  retry: "retried",
  block: "question asked",
  submit: "submitted for review",
  complete: "finished",
  "complete submitted": "submitted for review",
  fail: "error",
  expire: "time limit reached",
  "expire retried": "worker loses its lease",
  "expire blocked": "budget used up",
  "review.approve": "approved",
  "review.request_changes": "changes requested",
  "review.reject": "rejected",
  "report.blocked": "question asked",
  "report.review": "submitted for review",
  "report.completed": "finished",
  "report.completed submitted": "submitted for review",
  "report.failed": "error",
  "report.released": "worker returns the task",
  hold: "agent is paused",
};

const CHECKS: Readonly<Record<CheckName, string>> = {
  keepsAgent: "the update does not give the task to another agent",
  validUpdate: "the deadline, context and notes are valid",
  isQuestion: "the task waits for an answer, not for the approval of a call",
  validResponse:
    "every answer is within its size limit, and new limits in the answer to a budget question raise the budget",
  validRetry:
    "the command is for the current attempt, the task has had fewer than 100 attempts, the deadline is in the future, the context and notes are valid and, with `reassign`, another agent is available",
  validLease: "the token belongs to the current lease, which has not expired",
  validProgress: "the progress is not lower than before",
  validWork: "the saved `work` is within its size limit",
  validFile:
    "the task has fewer than the maximum number of files, or the file replaces an existing one",
  repeatedReport:
    "the token belongs to the last lease, and the report is a heartbeat (of a queued task, only if the agent is paused) or repeats the report that ended the lease",
};

const GUARDS: Readonly<Record<GuardName, string>> = {
  fitsChoice: "the task has no agent, or the assignment is to the agent that it has",
  changesAgent: "the update gives the task to another agent",
  changesTask: "the update changes something",
  isNewApproval: "the task has no approval with this id",
  isPendingApproval: "the call is known to the task and is not settled",
  isLastAwaited: "the task waits for this call and for no other",
  awaitsSettledApprovals: "the agent waits for approvals that have all been settled",
  isCurrentAttempt: "the command belongs to the current attempt",
  isExpired: "the deadline has passed, or the working time is used up",
  hasNoQueue:
    "the agent has no queue, because it is not a worker and its concurrent tasks are not limited",
  isQueuedFor: "the task is waiting in this agent's queue",
  fitsExecutor: "the slot comes with a lease if, and only if, the agent is a worker",
  isCostUncovered: "the budget's `maxCost` does not cover more of the agent's work",
  isRaiseRefused: "the question whether to raise the budget for the agent's work was answered",
  isLeaseExpired: "the lease has expired",
  hasLeaseRetries: "the limit on automatic retries has not been reached",
  isLeasedWithKey: "the lease was claimed with this key",
  requiresReview:
    "the agent or `context.requireReview` requires a review, or the task has been in review before",
  hasNotes: "the command contains notes",
};

/** An arrow in a diagram. */
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

/** The arrows of the status diagram, which shows only public statuses. */
function statusEdges(): Edge[] {
  const statusOf = (state: string): string => (state === "queued" ? "in_progress" : state);
  return listRows().flatMap(({ from, to, command, events }) => {
    const label = LABELS[`${command} ${events.at(-1)}`] ?? LABELS[command] ?? command;
    return to === "same" ? [] : [{ from: statusOf(from), to: statusOf(to), label }];
  });
}

/** The arrows of the page's own diagram, which shows all states and is labelled with command names. */
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
    Object.hasOwn(CHECKS, name) ? "Requires" : "If",
    text,
  ]);
  const actions = TASK_STATUSES.map((status) => [code([status]), code(allowedActions(status))]);
  return `# Task state machine

This page lists the states of a task and the commands that change them. It is generated from \`TRANSITIONS\` in
\`src/tasks/model/transitions.ts\`. Do not edit it; to update it, run \`node scripts/state-machine.ts\`.

A state is either one of the public statuses or \`queued\`. A queued task has already started, but is waiting for its
agent to have a free slot or for a worker to claim it again. The API shows its status as \`in_progress\`.

${formatDiagram(stateEdges())}

## Client actions

Clients can take these actions in each status:

${formatTable(["Status", "Actions"], actions)}

## Transitions

The following tables show what each command does in each state:

- A command fails if a condition under "Requires" does not hold.
- If a command has several rows, the first row whose conditions under "If" all hold applies. If no row applies, the
  command changes nothing.
- A command that is not listed for a state is illegal in that state and changes nothing. For an illegal \`report.*\`
  command, the worker receives the error \`LEASE_LOST\`.

The task's log records every change as an event, with two exceptions that are stored next to the log: a heartbeat's
renewal of the lease, and the turn that was sent to a model or an A2A agent.

If a task's log is full, commands that end the task or submit it for review are still accepted. Any other command that
would add an event is rejected if it comes from a client or a worker. If it comes from Bosun itself, the task fails
instead.

${Object.keys(TRANSITIONS).map(formatState).join("\n\n")}

## Conditions

${formatTable(["Condition", "Column", "Holds if"], meanings)}
`;
}

/** The generated files and their content. */
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

/** The generated files that are out of date. */
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
