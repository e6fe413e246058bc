import { approvalStub } from "../../governance/approvals/approval.rpc.ts";
import { toReceipt } from "../../governance/approvals/request-approval.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { ApprovalDraft, ApprovalReceipt } from "../../tools/model/invocation.ts";
import { TASK_APPROVALS_MAX } from "../limits.ts";
import { countApprovals, findApproval } from "../model/approvals.ts";
import type { TaskCommand } from "../model/command.ts";
import { illegalTransition } from "../model/guards.ts";
import { isActive, isTerminal, type ApprovalSettlement, type Task } from "../model/task.ts";
import type { SideState } from "./side-state.store.ts";
import type { TaskStore } from "./task.store.ts";

/** The task's calls that require approval. */
export class TaskApprovals {
  readonly #approvals: Env["APPROVALS"];
  readonly #taskId: string;
  readonly #store: TaskStore;

  constructor(approvals: Env["APPROVALS"], taskId: string, store: TaskStore) {
    this.#approvals = approvals;
    this.#taskId = taskId;
    this.#store = store;
  }

  /**
   * Stores a call until people decide about it, unless the attempt has already made an equal call. The approval's id
   * follows from the task and the call, so a request that is repeated after a crash finds the same approval. `blocks`:
   * whether to block the task until the call is settled.
   */
  async request(draft: ApprovalDraft, blocks: boolean): Promise<Result<ApprovalReceipt, Failure>> {
    const task = this.#store.enforceTimeLimits();
    if (task === null) return fail({ kind: "not_found", what: "task", id: this.#taskId });
    if (!isActive(task)) return fail(illegalTransition(task, "spend"));
    const { toolId, capability, sha256 } = draft.call;
    const known = findApproval(task, sha256);
    const isFull = known === null && task.approvals.length >= TASK_APPROVALS_MAX;
    if (isFull)
      return fail({ kind: "too_many_approvals", max: TASK_APPROVALS_MAX, agentId: task.agentId });
    const id = known?.approvalId ?? (await this.#nextId(task, sha256));
    const stub = approvalStub(this.#approvals, id);
    const receipt = toReceipt(await withTimeout(STORE_TIMEOUT_MS, stub.request(id, draft)));
    const { attempt } = task;
    const data = { approvalId: id, toolId, capability, sha256 };
    const commands: TaskCommand[] = [{ type: "requestApproval", attempt, data }];
    const { status } = receipt;
    if (blocks && (status === "pending" || status === "approved" || status === "executing"))
      commands.push(blockFor(attempt, id, draft));
    const decided = this.#store.commit(commands);
    if (decided.ok) return ok(receipt);
    await stub.withdraw();
    return decided;
  }

  /** Records how a call ended. Returns false if the task does not know the call yet. */
  settle(settlement: ApprovalSettlement): boolean {
    const task = this.#store.enforceTimeLimits();
    if (task === null || isTerminal(task.status)) return true;
    const isKnown = task.approvals.some((one) => one.approvalId === settlement.approvalId);
    if (isKnown) this.#store.commit([{ type: "settleApproval", settlement }]);
    return isKnown;
  }

  async #nextId(task: Task, sha256: string): Promise<string> {
    const ordinal = countApprovals(task, sha256);
    const hash = await sha256Hex(
      [this.#taskId, String(task.createdAt), sha256, ordinal].join("\n"),
    );
    return toUuid(hash);
  }
}

function blockFor(
  attempt: number,
  approvalId: string,
  { call, policies }: ApprovalDraft,
): TaskCommand {
  const question = approvalQuestion(call, policies[0]?.reason ?? "");
  const data = {
    kind: "approval" as const,
    question,
    approvalIds: [approvalId],
    calls: [],
    work: {},
  };
  return { type: "block", attempt, data };
}

/** The question of a task that waits for the approval of a call. */
function approvalQuestion(
  { toolId, capability }: Pick<ApprovalDraft["call"], "toolId" | "capability">,
  reason: string,
): string {
  return `Approve the call of ${toolId}/${capability}? ${reason}`;
}

/** The first 128 bits of a hash in hex, as a UUID of version 8. */
function toUuid(hash: string): string {
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

/** Withdraws the calls for which nobody waits any more, because their attempt or the task has ended. */
export class WithdrawalTarget {
  readonly #approvals: Env["APPROVALS"];
  readonly #sideState: SideState;

  constructor(approvals: Env["APPROVALS"], sideState: SideState) {
    this.#approvals = approvals;
    this.#sideState = sideState;
  }

  isBehind(): boolean {
    return this.#sideState.get("withdrawn") !== null;
  }

  async publish(): Promise<void> {
    const ids = this.#sideState.get("withdrawn");
    if (ids === null) return;
    try {
      await Promise.all(
        ids.map((id) =>
          withTimeout(STORE_TIMEOUT_MS, approvalStub(this.#approvals, id).withdraw()),
        ),
      );
      if (this.#sideState.get("withdrawn") === ids) this.#sideState.delete("withdrawn");
    } catch (error) {
      log.warn("approvals_withdraw_failed", { approvals: ids, error });
    }
  }
}
