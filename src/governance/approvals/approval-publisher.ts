import { feedStub } from "../../events/feed.rpc.ts";
import { readText } from "../../platform/chunked-text.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import { taskStub } from "../../tasks/task.rpc.ts";
import { audited } from "../audit/audited.ts";
import { APPROVAL_EXECUTION_TRIES_MS, APPROVAL_RESULT_CHARACTERS_MAX } from "../limits.ts";
import { settledAtOf } from "../model/approval-schedule.ts";
import { isSettled } from "../model/approval-status.ts";
import { formatSettlement, type Approval, type ApprovalDecision } from "../model/approval.ts";
import type { AuditEntry } from "../model/audit-entry.ts";
import { approvalFeedEvents } from "./approval-events.ts";
import { saveApprovalRow, saveAuditedDecision } from "./approvals.store.ts";

/** What other systems know about the approval. */
interface Published {
  readonly rowVersion: number;
  readonly feedSeq: number;
  readonly isTaskNotified: boolean;
  /** The number of decisions that the audit log contains. */
  readonly auditedDecisions: number;
}

const NOTHING_PUBLISHED: Published = {
  rowVersion: 0,
  feedSeq: 0,
  isTaskNotified: false,
  auditedDecisions: 0,
};
const PUBLISHED_KEY = "published";
/** The name under which the result of the call is stored. */
export const RESULT_NAME = "result";

type PublisherEnv = Pick<Env, "DB" | "FEED" | "TASKS" | "AUDIT_RETENTION_DAYS">;

/**
 * Tells other systems about an approval: the list and the audit log in D1, the feed and the task. What fails is repeated
 * when the object's alarm publishes again.
 */
export class ApprovalPublisher {
  readonly #env: PublisherEnv;
  readonly #kv: DurableObjectStorage["kv"];

  constructor(env: PublisherEnv, kv: DurableObjectStorage["kv"]) {
    this.#env = env;
    this.#kv = kv;
  }

  #published(): Published {
    return this.#kv.get<Published>(PUBLISHED_KEY) ?? NOTHING_PUBLISHED;
  }

  isPublished(approval: Approval): boolean {
    const { rowVersion, feedSeq, isTaskNotified, auditedDecisions } = this.#published();
    const events = approvalFeedEvents(approval);
    const isNotified = isTaskNotified || !this.#mustNotifyTask(approval);
    return (
      rowVersion === approval.version &&
      feedSeq === events.length &&
      auditedDecisions === approval.decisions.length &&
      isNotified
    );
  }

  #mustNotifyTask({ status, call }: Approval): boolean {
    return isSettled(status) && call.taskId !== null;
  }

  /** Updates the list, the feed and the task. What fails is repeated by the alarm. */
  async publish(approval: Approval): Promise<void> {
    const before = this.#published();
    const [{ rowVersion, auditedDecisions }, feedSeq, isTaskNotified] = await Promise.all([
      this.#publishRow(approval, before),
      this.#publishEvents(approval, before.feedSeq),
      this.#notifyTask(approval, before.isTaskNotified),
    ]);
    const now = this.#published();
    const after: Published = {
      rowVersion: Math.max(now.rowVersion, rowVersion),
      feedSeq: Math.max(now.feedSeq, feedSeq),
      isTaskNotified: now.isTaskNotified || isTaskNotified,
      auditedDecisions: Math.max(now.auditedDecisions, auditedDecisions),
    };
    this.#kv.put(PUBLISHED_KEY, after);
  }

  /** Updates the row of the list, and records the decisions in the audit log. */
  async #publishRow(
    approval: Approval,
    { rowVersion, auditedDecisions }: Published,
  ): Promise<Pick<Published, "rowVersion" | "auditedDecisions">> {
    const published = { rowVersion, auditedDecisions };
    try {
      const db = getDatabase(this.#env.DB);
      if (rowVersion !== approval.version) {
        await withTimeout(STORE_TIMEOUT_MS, saveApprovalRow(db, approval));
        published.rowVersion = approval.version;
      }
      for (const decision of approval.decisions.slice(auditedDecisions)) {
        const index = published.auditedDecisions;
        const entry = decisionEntry(approval, decision);
        const recorded = audited(this.#env, decision.actor, (record) =>
          saveAuditedDecision(db, approval.id, index, record(entry)),
        );
        await withTimeout(STORE_TIMEOUT_MS, recorded);
        published.auditedDecisions = index + 1;
      }
    } catch (error) {
      log.warn("approval_row_failed", { approvalId: approval.id, error });
    }
    return published;
  }

  async #publishEvents(approval: Approval, feedSeq: number): Promise<number> {
    const events = approvalFeedEvents(approval).filter(({ seq }) => seq > feedSeq);
    if (events.length === 0) return feedSeq;
    try {
      await withTimeout(STORE_TIMEOUT_MS, feedStub(this.#env.FEED).publish(events, false));
      return events.at(-1)?.seq ?? feedSeq;
    } catch (error) {
      log.warn("approval_events_failed", { approvalId: approval.id, error });
      return feedSeq;
    }
  }

  async #notifyTask(approval: Approval, isNotified: boolean): Promise<boolean> {
    const { taskId } = approval.call;
    const { status } = approval;
    if (isNotified || taskId === null || !isSettled(status)) return isNotified;
    const stub = taskStub(this.#env.TASKS, taskId);
    if (!stub.ok) return true;
    const text = status === "executed" ? readText(this.#kv, RESULT_NAME) : null;
    const result = text === null ? null : shorten(text, APPROVAL_RESULT_CHARACTERS_MAX);
    const message = formatSettlement(approval);
    const settlement = { approvalId: approval.id, status, message, result };
    try {
      const isKnown = await withTimeout(STORE_TIMEOUT_MS, stub.value.settleApproval(settlement));
      // The task may not have recorded yet that its call waits for approval.
      const settledMs = Date.now() - (settledAtOf(approval) ?? 0);
      return isKnown || settledMs > APPROVAL_EXECUTION_TRIES_MS;
    } catch (error) {
      log.warn("approval_task_failed", { approvalId: approval.id, taskId, error });
      return false;
    }
  }
}

function shorten(text: string, charactersMax: number): string {
  return text.length <= charactersMax
    ? text
    : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
}

/** A decision in the audit log. The parameters of the call are identified by their hash. */
function decisionEntry(
  { id, call }: Pick<Approval, "id" | "call">,
  { kind, viaLink, message }: ApprovalDecision,
): AuditEntry {
  const { toolId, capability, sha256, agentId, taskId } = call;
  const after = { toolId, capability, sha256, agentId, taskId, viaLink, message };
  const action = kind === "approve" ? "approval.approved" : "approval.denied";
  return { action, subjectId: id, after };
}
