import type { TaskEventData } from "../../src/tasks/model/events.ts";
import {
  PRIORITIES,
  type AgentChoice,
  type Task,
  type TaskStatus,
} from "../../src/tasks/model/task.ts";
import type { ClientCommand } from "../../src/tasks/task.rpc.ts";
import type { Viewer } from "../../src/keys/model/key.ts";
import { choice } from "../tasks/model/fixtures.ts";
import { createBystander } from "./virtual-clock.ts";
import type { RequestLog } from "./request-log.ts";
import type { SimulatedPlatform } from "./platform.ts";

export const ANYBODY: Viewer = { agentId: null, teamId: null };
const SENDER = { ...ANYBODY, by: { keyId: "root", keyName: "root" } };
const MINUTE_MS = 60_000;

const WAITS_FOR_PEOPLE: ReadonlySet<TaskStatus> = new Set(["blocked", "review", "failed"]);

/** Clients that create tasks and send commands. They act on the last state that they received. */
export class Clients {
  readonly #world: SimulatedPlatform;
  readonly #ledger: RequestLog;
  readonly #asked = new Map<string, TaskEventData["created"]>();
  readonly #shown = new Map<string, Task>();
  readonly #self = createBystander("people");
  created = 0;

  constructor(platform: SimulatedPlatform, requestLog: RequestLog) {
    this.#world = platform;
    this.#ledger = requestLog;
  }

  /** Acts on a task after a delay: creates it, reads it, or sends a command. */
  actIn(ms: number, taskId: string): void {
    this.#world.clock.after(ms, () => void this.#act(taskId), this.#self);
  }

  /**
   * Reacts to a task change: sometimes a client reads the task shortly afterwards and does what the
   * task is waiting for.
   */
  handleNotification(taskId: string): void {
    const { rng, clock, faultPlan } = this.#world;
    if (faultPlan.isOver || !rng.oneIn(4)) return;
    clock.after(rng.below(200), () => void this.#answer(taskId), this.#self);
  }

  wasMade(taskId: string): boolean {
    return this.#shown.has(taskId);
  }

  async #act(taskId: string): Promise<void> {
    const { rng } = this.#world;
    const task = this.#shown.get(taskId);
    try {
      if (task === undefined) return await this.#create(taskId);
      if (rng.oneIn(4)) return await this.#look(taskId);
      await this.#command(taskId, task);
    } catch {
      // The request was not acknowledged, so the client may retry it or give up.
    }
  }

  async #answer(taskId: string): Promise<void> {
    try {
      await this.#look(taskId);
      const task = this.#shown.get(taskId);
      if (task !== undefined && WAITS_FOR_PEOPLE.has(task.status))
        await this.#command(taskId, task);
    } catch {}
  }

  async #command(taskId: string, task: Task): Promise<void> {
    const mark = this.#ledger.mark(taskId, `command on ${task.status}`);
    await this.#give(taskId, this.#commandFor(task, mark), mark);
  }

  /** If a client gets no response, it retries the same request. */
  async #create(taskId: string): Promise<void> {
    const data = this.#asked.get(taskId) ?? this.#wish(taskId);
    this.#asked.set(taskId, data);
    if (this.#world.rng.oneIn(4))
      void this.#world
        .port(taskId)
        .create(data)
        .catch(() => {});
    const made = await this.#world.port(taskId).create(data);
    if (!made.ok) throw new Error(`The task could not be created: ${made.failure.kind}`);
    this.created += 1;
    this.#shown.set(taskId, made.value.task);
  }

  async #look(taskId: string): Promise<void> {
    const port = this.#world.port(taskId);
    if (this.#world.rng.oneIn(6)) {
      const page = await port.events(ANYBODY, { after: 0, limit: 100 });
      if (!page.ok) throw new Error(page.failure.kind);
      return;
    }
    const read = await port.read(ANYBODY);
    if (!read.ok) throw new Error(read.failure.kind);
    this.#see(taskId, read.value);
  }

  async #give(taskId: string, command: ClientCommand, mark: string): Promise<void> {
    this.#world.trace?.(`a client sends ${command.type} to ${taskId} (${mark})`);
    const done = await this.#world.port(taskId).command(SENDER, command);
    this.#ledger.tell(mark, done.ok ? "done" : "rejected");
    const isGiven = done.ok && command.type === "update" && command.choice !== undefined;
    if (isGiven && done.value.task.agentId !== done.value.before.agentId) {
      this.#world.faultPlan.note("agent changed");
    }
    if (done.ok) this.#see(taskId, done.value.task);
    else await this.#look(taskId);
  }

  #see(taskId: string, task: Task): void {
    this.#shown.set(taskId, task);
    this.#ledger.show(taskId, task);
  }

  #wish(taskId: string): TaskEventData["created"] {
    const { rng, clock } = this.#world;
    const { now } = clock;
    const seconds = rng.between(5, 900);
    return {
      task: `task ${taskId}`,
      teamId: null,
      choice: rng.oneIn(3) ? this.#someone() : null,
      priority: rng.pick(PRIORITIES),
      deadline: rng.oneIn(4) ? now + rng.between(1_000, 10 * MINUTE_MS) : null,
      deliverables: [],
      context: {},
      budget: rng.oneIn(6) ? { maxDurationSeconds: seconds } : null,
      estimatedCompletion: now + MINUTE_MS,
      estimatedDurationMs: MINUTE_MS,
      createdBy: "root",
      fingerprint: `print of ${taskId}`,
    };
  }

  #commandFor(task: Task, mark: string): ClientCommand {
    const { rng } = this.#world;
    const cancel = { type: "cancel", reason: mark } as const;
    const update = { type: "update", ...this.#change(mark) } as const;
    switch (task.status) {
      case "blocked":
        return rng.oneIn(16) ? cancel : { type: "respond", response: mark };
      case "review":
        return { type: "review", decision: this.#decision(), comment: mark };
      case "failed":
        return rng.oneIn(4) ? update : this.#retry(task, mark);
      case "completed":
        return { type: "rate", feedback: { rating: rng.between(1, 5), feedback: mark } };
      default:
        return rng.oneIn(10) ? cancel : update;
    }
  }

  #decision() {
    return this.#world.rng.pick(["approve", "approve", "request_changes", "reject"]);
  }

  #retry(task: Task, notes: string): ClientCommand {
    const reassign = this.#world.rng.oneIn(2);
    const next = reassign ? this.#someone() : task.choice;
    return { type: "retry", attempt: task.attempt, reassign, choice: next, context: null, notes };
  }

  #change(notes: string): Pick<Extract<ClientCommand, { type: "update" }>, "change" | "choice"> {
    const { rng, clock, scenario } = this.#world;
    const priority = rng.oneIn(2) ? { priority: rng.pick(PRIORITIES) } : {};
    const given = scenario.changesAgents && rng.oneIn(2) ? { choice: this.#someone() } : {};
    const deadline = rng.oneIn(8)
      ? { deadline: clock.now + rng.between(1_000, 20 * MINUTE_MS) }
      : {};
    return { change: { notes, ...priority, ...deadline }, ...given };
  }

  #someone(): AgentChoice {
    const ids = Object.keys(this.#world.scenario.agents);
    return choice(ids[this.#world.rng.below(ids.length)] ?? "nobody");
  }
}
