import type { Recorder } from "./recorder.ts";

/** The call that `invokeTool` records, which a policy now stores until people approve it. */
const CALL = {
  parameters: { id: "table-analyst" },
  body: {
    capability: "correlate",
    agentId: "data-analyst",
    parameters: { csv: "rain,umbrellas\n0,1\n3,8\n9,19\n4,11" },
  },
};

interface Stored {
  readonly approvalId: string;
}

/** Stores calls, and approves and denies them. */
export async function recordApprovals(recorder: Recorder): Promise<void> {
  const policy = {
    id: "look-first",
    name: "Look at correlations",
    effect: "ask",
    tools: ["table-analyst/correlate"],
    reason: "A person looks at each correlation.",
  };
  await recorder.send("createPolicy", { body: policy });
  const { key } = await recorder.send<{ key: string }>("createKey", {
    body: { name: "analyst", scopes: ["tools:invoke"] },
  });
  const { data } = await recorder.record<Stored>("invokeTool", { ...CALL, key });
  const parameters = { id: data.approvalId };
  const link = await recorder.record<{ url: string }>("createApprovalLink", { parameters });
  const opened = { parameters, signedQuery: new URL(link.data.url).search, key: null };
  await recorder.record("openApprovalLink", opened);
  await recorder.record("approveCall", { parameters, body: { message: "The table is public." } });
  await recorder.until<{ status: string }>(
    "getApproval",
    { parameters },
    ({ status }) => status === "executed",
  );
  await recorder.record("getApproval", { parameters });
  const second = await recorder.send<Stored>("invokeTool", { ...CALL, key });
  await recorder.record("denyCall", {
    parameters: { id: second.approvalId },
    body: { message: "It was already computed." },
  });
  const third = await recorder.send<Stored>("invokeTool", { ...CALL, key });
  const ofThird = { parameters: { id: third.approvalId } };
  const { url } = await recorder.send<{ url: string }>("createApprovalLink", ofThird);
  await recorder.record("decideByLink", {
    ...ofThird,
    signedQuery: new URL(url).search,
    key: null,
    file: "decision=deny",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  await recorder.record("listApprovals", { parameters: { status: "denied", limit: 20 } });
  await recorder.send("deletePolicy", { parameters: { id: policy.id } });
}
