import { DurableObject } from "cloudflare:workers";
import { toWireError } from "../../http/to-wire-error.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { fail, type Result } from "../../kernel/result.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { readText, writeText } from "../../platform/chunked-text.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { log } from "../../platform/log.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";
import { readTaskTiming } from "../../tasks/model/schedule.ts";
import {
  APPROVAL_EXECUTION_TRIES_MS,
  APPROVAL_RETRY_MAX_MS,
  APPROVAL_RETRY_MIN_MS,
} from "../limits.ts";
import {
  beginExecution,
  decideApproval,
  endExecution,
  expireIfDue,
  findDeciderFailure,
  loseExecution,
  requestApproval,
  withdrawApproval,
  type Approval,
} from "../model/approval.ts";
import { nextApprovalAlarmAt, settledAtOf } from "../model/approval-schedule.ts";
import type { ApprovalDraft } from "../../tools/model/invocation.ts";
import { ApprovalPublisher, RESULT_NAME } from "./approval-publisher.ts";
import type { ApprovalRpc, MadeCall, MakeApprovedCall } from "./approval.rpc.ts";
import { deleteApprovalRow } from "./approvals.store.ts";

const APPROVAL_KEY = "approval";

/**
 * The Durable Object of one call that requires approval. Only its alarm makes the call, so it is made at most once: the
 * alarm stores that the call begins before it sends it, and a call that had begun when the object crashed is not
 * repeated.
 */
export class ApprovalObject extends DurableObject<Env> implements ApprovalRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId);
  }

  readonly #alarm: ObjectAlarm;
  readonly #publisher: ApprovalPublisher;
  readonly #makeCall: MakeApprovedCall;
  readonly #retentionMs: number | null;

  constructor(ctx: DurableObjectState, env: Env, makeCall: MakeApprovedCall) {
    super(ctx, env);
    this.#alarm = ObjectAlarm.load(ctx);
    this.#publisher = new ApprovalPublisher(env, ctx.storage.kv);
    this.#makeCall = makeCall;
    this.#retentionMs = readTaskTiming(env).retentionMs;
  }

  async request(id: string, draft: ApprovalDraft): Promise<Approval> {
    const known = this.#loadCurrent();
    if (known !== null) return known;
    const approval = requestApproval(id, draft, Date.now());
    this.#save(approval);
    await this.#publisher.publish(approval);
    return approval;
  }

  async read(): Promise<Approval | null> {
    return this.#loadCurrent();
  }

  async readResult(): Promise<JsonObject | null> {
    const text = readText(this.ctx.storage.kv, RESULT_NAME);
    return text === null ? null : JSON.parse(text);
  }

  async decide(
    ...[decider, { kind, message, viaLink, actor }]: Parameters<ApprovalRpc["decide"]>
  ): Promise<Result<Approval, Failure> | null> {
    const before = this.#loadCurrent();
    if (before === null) return null;
    const failure = findDeciderFailure(before, decider);
    if (failure !== null) return fail(failure);
    const decision = { keyId: decider.id, kind, at: Date.now(), viaLink, message, actor };
    const decided = decideApproval(before, decision);
    if (!decided.ok || decided.value === before) return decided;
    this.#save(decided.value);
    await this.#publisher.publish(decided.value);
    return decided;
  }

  async withdraw(): Promise<void> {
    const before = this.#loadCurrent();
    if (before === null) return;
    const after = withdrawApproval(before, Date.now());
    if (after === before) return;
    this.#save(after);
    await this.#publisher.publish(after);
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    const approval = this.#loadCurrent();
    if (approval === null) return;
    const settledAt = settledAtOf(approval);
    if (this.#publisher.isPublished(approval) && settledAt !== null && this.#retentionMs !== null) {
      if (settledAt + this.#retentionMs <= Date.now()) return this.#purge(approval);
    }
    if (approval.status === "approved") await this.#execute(approval);
    else if (approval.status === "executing") this.#save(loseExecution(approval, Date.now()));
    const after = this.#loadCurrent();
    if (after === null) return;
    await this.#publisher.publish(after);
    this.#setAlarm(after);
  }

  /** Makes the call. If it could not be checked because a system was unavailable, the next alarm tries again. */
  async #execute(approval: Approval): Promise<void> {
    try {
      const made = await this.#makeCall(this.env, approval, () => {
        this.#save(beginExecution(this.#loadCurrent() ?? approval));
      });
      this.#end(made);
    } catch (error) {
      log.error("approved_call_failed", { approvalId: approval.id, error });
      this.#end(fail({ kind: "unavailable", what: "The service" }));
    }
  }

  #end(made: Result<MadeCall, Failure>): void {
    const now = Date.now();
    const approval = this.#loadCurrent();
    if (approval === null) return;
    if (made.ok) {
      const { result, cost, durationMs } = made.value;
      const after = endExecution(approval, { ok: true, cost, durationMs }, now);
      return this.#save(after, JSON.stringify(result));
    }
    const isTransient = made.failure.kind === "unavailable";
    if (isTransient && approval.status === "executing")
      return this.#save(loseExecution(approval, now));
    const triedMs = now - (approval.decidedAt ?? now);
    if (isTransient && triedMs < APPROVAL_EXECUTION_TRIES_MS) return;
    const { code, message } = toWireError(made.failure);
    this.#save(endExecution(approval, { ok: false, code, message }, now));
  }

  /** The approval, expired if nobody decided in time. */
  #loadCurrent(): Approval | null {
    const stored = this.ctx.storage.kv.get<Approval>(APPROVAL_KEY) ?? null;
    if (stored === null) return null;
    const current = expireIfDue(stored, Date.now());
    if (current !== stored) this.#save(current);
    return current;
  }

  #save(approval: Approval, result: string | null = null): void {
    const { kv } = this.ctx.storage;
    this.#alarm.transactionSync(
      () => {
        kv.put(APPROVAL_KEY, approval);
        if (result !== null) writeText(kv, RESULT_NAME, result);
        this.#setAlarm(approval);
      },
      () => {},
    );
  }

  #setAlarm(approval: Approval): void {
    const at = nextApprovalAlarmAt(approval, {
      isPublished: this.#publisher.isPublished(approval),
      retentionMs: this.#retentionMs,
      retry: { minMs: APPROVAL_RETRY_MIN_MS, maxMs: APPROVAL_RETRY_MAX_MS },
      now: Date.now(),
    });
    if (at !== null) this.#alarm.setNoLaterThan(at);
  }

  async #purge({ id }: Approval): Promise<void> {
    await deleteApprovalRow(getDatabase(this.env.DB), id);
    await this.ctx.storage.deleteAll();
  }
}
