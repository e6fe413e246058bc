import { Hono } from "hono";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  requestOriginOf,
} from "../../http/envelope.ts";
import { hasAuthorizationHeader } from "../../http/middleware.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { findActiveKey } from "../../keys/authenticate.ts";
import type { Key } from "../../keys/model/key.ts";
import { actorOf, actorWithKey } from "../audit/actor.ts";
import { DECISION_FORM_BYTES_MAX, DECISION_MESSAGE_CHARACTERS_MAX } from "../limits.ts";
import { findDeciderFailure, type Approval } from "../model/approval.ts";
import { createApprovalLink, LINK_PROBLEMS, readApprovalLink } from "./approval-link.ts";
import type { ApprovalRpc } from "./approval.rpc.ts";
import { decisionPage, decisionProblemPage } from "./decision-page.ts";
import { approvalOperations } from "./operations.ts";
import {
  findApproval,
  listVisibleApprovals,
  readApprovalView,
  toDecider,
  type FoundApproval,
} from "./read-approval.ts";
import type { ApprovalResponse } from "./schemas.ts";

/** Whether the request uses a signed link for a decision instead of a key. */
export function isApprovalLink(c: AppContext): boolean {
  const path = /^\/agents\/approvals\/[^/]+\/decision$/;
  return path.test(c.req.path) && !hasAuthorizationHeader(c);
}

const list = defineEndpoint(approvalOperations.listApprovals, async (c, { query }) =>
  ok({ data: await listVisibleApprovals(c.env, c.get("key"), query) }),
);

const read = defineEndpoint(approvalOperations.getApproval, async (c) => {
  const found = await findApproval(c.env, c.get("key"), readPathParam(c, "id"));
  return found.ok ? ok({ data: await buildView(c, found.value) }) : found;
});

const approve = defineEndpoint(approvalOperations.approveCall, (c, { body }) =>
  decide(c, "approve", body.message),
);

const deny = defineEndpoint(approvalOperations.denyCall, (c, { body }) =>
  decide(c, "deny", body.message),
);

const createLink = defineEndpoint(approvalOperations.createApprovalLink, async (c) => {
  const key = c.get("key");
  const found = await findApproval(c.env, key, readPathParam(c, "id"));
  if (!found.ok) return found;
  const { approval } = found.value;
  const decider = await toDecider(c.env, key, approval.call.keyId);
  const failure = findDeciderFailure(approval, decider);
  if (failure !== null) return fail(failure);
  const { id: approvalId, status } = approval;
  if (status !== "pending") return fail<Failure>({ kind: "approval_decided", approvalId, status });
  const origin = requestOriginOf(c);
  const link = createApprovalLink(c.env.SIGNING_KEY, origin, approval, key.id, Date.now());
  const data = { url: link.url, expiresAt: toIsoTime(link.expiresAt) };
  return ok({ data, status: 201 as const });
});

async function decide(
  c: AppContext,
  kind: "approve" | "deny",
  message: string | undefined,
): Promise<Result<{ data: ApprovalResponse }, Failure>> {
  const key = c.get("key");
  const found = await findApproval(c.env, key, readPathParam(c, "id"));
  if (!found.ok) return found;
  const { approval, stub } = found.value;
  const decision = { kind, viaLink: false, message: message ?? null, actor: actorOf(c) };
  const decided = await decideAs(c, key, { approval, stub }, decision);
  return decided.ok ? ok({ data: await buildView(c, { approval: decided.value, stub }) }) : decided;
}

async function decideAs(
  c: AppContext,
  key: Key,
  { approval, stub }: FoundApproval,
  decision: Parameters<ApprovalRpc["decide"]>[1],
): Promise<Result<Approval, Failure>> {
  const decider = await toDecider(c.env, key, approval.call.keyId);
  const decided = await stub.decide(decider, decision);
  return decided ?? fail({ kind: "not_found", what: "approval", id: approval.id });
}

function buildView(c: AppContext, found: FoundApproval): Promise<ApprovalResponse> {
  return readApprovalView(c.env, found, c.get("key"), requestOriginOf(c));
}

const openLink = defineEndpoint(approvalOperations.openApprovalLink, async (c) => {
  const link = await readLink(c);
  if (!link.ok) return problemPage(c, link.failure);
  const { approval, decider } = link.value;
  const hasDecided = approval.decisions.some(({ keyId }) => keyId === decider.id);
  return decisionPage(c, approval, approval.status === "pending" && !hasDecided);
});

const decideByLink = defineEndpoint(approvalOperations.decideByLink, async (c) => {
  const link = await readLink(c);
  if (!link.ok) return problemPage(c, link.failure);
  const form = await readDecisionForm(c);
  if (form === null) {
    const text = "Choose Approve or Deny, and write a message of at most 1,000 characters.";
    return decisionProblemPage(c, 400, text);
  }
  const { stub, decider } = link.value;
  const actor = actorWithKey(c, decider.id, null);
  const decided = await stub.decide(decider, { ...form, viaLink: true, actor });
  if (decided === null) return problemPage(c, approvalMissing(c));
  return decided.ok ? decisionPage(c, decided.value, false) : problemPage(c, decided.failure);
});

/** Reads which approval a link is for, and who decides with it. */
async function readLink(c: AppContext) {
  const id = readPathParam(c, "id");
  const { searchParams } = new URL(c.req.url);
  const keyId = readApprovalLink(c.env.SIGNING_KEY, id, searchParams, Date.now());
  const rejected = (reason: string) => fail<Failure>({ kind: "unauthenticated", reason });
  if (!keyId.ok) return rejected(LINK_PROBLEMS[keyId.failure]);
  const key = await findActiveKey(c.env, keyId.value);
  if (key === null || !key.scopes.includes("approvals:decide"))
    return rejected("The key that created this link has ended. Ask for a new link.");
  const found = await findApproval(c.env, key, id);
  if (!found.ok) return found;
  const { approval, stub } = found.value;
  return ok({ approval, stub, decider: await toDecider(c.env, key, approval.call.keyId) });
}

async function readDecisionForm(
  c: AppContext,
): Promise<{ kind: "approve" | "deny"; message: string | null } | null> {
  const bytes = await c.req.arrayBuffer();
  if (bytes.byteLength > DECISION_FORM_BYTES_MAX) return null;
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  const kind = form.get("decision");
  const message = (form.get("message") ?? "").trim();
  if (message.length > DECISION_MESSAGE_CHARACTERS_MAX) return null;
  if (kind !== "approve" && kind !== "deny") return null;
  return { kind, message: message === "" ? null : message };
}

function approvalMissing(c: AppContext): Failure {
  return { kind: "not_found", what: "approval", id: readPathParam(c, "id") };
}

function problemPage(c: AppContext, failure: Failure): Response {
  const { status, message } = toWireError(failure);
  const shown = ([400, 401, 403, 404, 409, 413] as const).find((one) => one === status) ?? 503;
  return decisionProblemPage(c, shown, message);
}

export const approvalRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/approvals", ...list)
    .get("/agents/approvals/:id", ...read)
    .post("/agents/approvals/:id/approve", ...approve)
    .post("/agents/approvals/:id/deny", ...deny)
    .post("/agents/approvals/:id/link", ...createLink)
    .get("/agents/approvals/:id/decision", ...openLink)
    .post("/agents/approvals/:id/decision", ...decideByLink),
);
