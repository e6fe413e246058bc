import { createInterface } from "node:readline/promises";
import { call } from "./client.ts";
import { startCrm, type Crm } from "./crm.ts";

export const TITLE = "a person approves or denies what an agent wants to do.";

const AGENT = "support-agent";
const CUSTOMERS = ["ada", "grace", "linus"];
const DENIAL = "This customer has unpaid invoices.";
const POLL_MS = 100;
const PATIENCE_MS = 20_000;

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  readonly destination?: string;
  readonly capability: string;
  readonly parameters: { readonly customer: string };
  readonly decisions: readonly { readonly decision: string; readonly message?: string }[];
  readonly result?: object;
}

interface Decision {
  readonly name: "approve" | "deny";
  /** What the agent is to read; null for an approval. */
  readonly message: string | null;
}

const APPROVE: Decision = { name: "approve", message: null };
const DENY: Decision = { name: "deny", message: DENIAL };

/** An agent wants to delete two customers. A person decides about each of the calls. Returns the exit code. */
export async function demo(origin: string): Promise<number> {
  const crm = await startCrm(CUSTOMERS);
  try {
    const agentKey = await prepare(origin, crm);
    const decided = [
      await decideAbout(origin, agentKey, crm, { customer: "ada", byDefault: APPROVE }),
      await decideAbout(origin, agentKey, crm, { customer: "grace", byDefault: DENY }),
    ];
    console.log(`\nCustomers in the CRM: ${crm.customers().join(", ")}`);
    return report(decided.every(Boolean));
  } finally {
    await crm.stop();
  }
}

/** Registers the CRM as a tool, a policy for its dangerous call, and the agent's key. Returns the key. */
async function prepare(origin: string, crm: Crm): Promise<string> {
  await call(origin, "POST", "/agents", { id: AGENT, executor: { type: "worker" } });
  const customer = { name: "customer", type: "string", required: true };
  await call(origin, "POST", "/agents/tools", {
    id: "crm",
    name: "CRM",
    category: "data",
    connector: { type: "http", baseUrl: crm.origin },
    capabilities: [
      { id: "listCustomers", request: { method: "GET", path: "/customers" } },
      {
        id: "deleteCustomer",
        parameters: [customer],
        request: { method: "DELETE", path: "/customers/{customer}" },
      },
    ],
  });
  await call(origin, "POST", "/agents/tools/access", { agentId: AGENT, toolId: "crm" });
  await call(origin, "POST", "/agents/policies", {
    id: "deletions",
    name: "Deletions",
    effect: "ask",
    tools: ["crm/deleteCustomer"],
    reason: "A deleted customer cannot be restored.",
  });
  const wanted = { name: "for the agent", agentId: AGENT, scopes: ["tools:invoke"] };
  const { key } = await call<{ key: string }>(origin, "POST", "/agents/keys", wanted);
  console.log(`Tool "crm": an HTTP API on this machine with the customers ${CUSTOMERS.join(", ")}.
Policy "deletions": a person looks at each call of crm/deleteCustomer.
Agent "${AGENT}": it may use the tool, and has a key that cannot approve calls.`);
  return key;
}

/**
 * The agent requests the deletion of a customer, a person decides twice in the same way, and the agent reads the
 * outcome. Returns whether the CRM received the call exactly once if it was approved, and never if it was denied.
 */
async function decideAbout(
  origin: string,
  agentKey: string,
  crm: Crm,
  { customer, byDefault }: { readonly customer: string; readonly byDefault: Decision },
): Promise<boolean> {
  console.log(`\nThe agent wants to delete the customer ${customer}`);
  const { approvalId } = await call<{ approvalId: string }>(
    origin,
    "POST",
    "/agents/tools/crm/invoke",
    { capability: "deleteCustomer", parameters: { customer }, agentId: AGENT },
    agentKey,
  );
  const path = `/agents/approvals/${approvalId}`;
  const stored = await call<Approval>(origin, "GET", path);
  console.log(`  Bosun stored the call instead of making it.
  Reason: ${stored.reason}
  Call: ${stored.capability} ${JSON.stringify(stored.parameters)} to ${stored.destination}`);
  const decision = await ask(byDefault);
  const body = decision.message === null ? {} : { message: decision.message };
  await call(origin, "POST", `${path}/${decision.name}`, body);
  const outcome = await untilSettled(origin, path, agentKey);
  await call(origin, "POST", `${path}/${decision.name}`, body);
  const count = countOf(crm, customer);
  const isApproved = decision.name === "approve";
  console.log(`  The person repeats the decision. Calls that the CRM has received: ${count}`);
  console.log(`  The agent reads: ${describeOutcome(outcome)}`);
  const isPresent = crm.customers().includes(customer);
  return isApproved
    ? count === 1 && outcome.status === "executed" && !isPresent
    : count === 0 && outcome.status === "denied" && isPresent;
}

/** The person's decision. Without a terminal, nobody can be asked, so the demo decides. */
async function ask(byDefault: Decision): Promise<Decision> {
  if (!process.stdin.isTTY) {
    console.log(`  Approve? There is no terminal, so the demo decides: ${byDefault.name}`);
    return byDefault;
  }
  for (;;) {
    const answer = await prompt("  Approve? [y/n] ");
    if (/^y(es)?$/i.test(answer)) return APPROVE;
    if (/^no?$/i.test(answer)) {
      const message = await prompt(`  Reason for the agent [${DENY.message}] `);
      return message === "" ? DENY : { ...DENY, message };
    }
  }
}

/** Reads a line from the terminal. Fails if the person ends the input. */
async function prompt(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<never>((_, reject) => {
    terminal.once("close", () => reject(new Error("The input ended before a decision.")));
  });
  try {
    return (await Promise.race([terminal.question(question), ended])).trim();
  } finally {
    terminal.close();
  }
}

/** Polls an approval with the agent's key until the call was made or will not be made. */
async function untilSettled(origin: string, path: string, agentKey: string): Promise<Approval> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const approval = await call<Approval>(origin, "GET", path, undefined, agentKey);
    const isOpen = ["pending", "approved", "executing"].includes(approval.status);
    if (!isOpen || Date.now() > giveUpAt) return approval;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function describeOutcome({ status, decisions, result }: Approval): string {
  if (result !== undefined) return `${status}, ${JSON.stringify(result)}`;
  const message = decisions.findLast(({ decision }) => decision === "deny")?.message;
  return message === undefined ? status : `${status}, "${message}"`;
}

function countOf({ received }: Crm, customer: string): number {
  return received.filter((line) => line === `DELETE /customers/${customer}`).length;
}

function report(isAsPromised: boolean): number {
  console.log(
    isAsPromised
      ? "Each approved call was made exactly once, and no denied call was made.\n"
      : "The demo failed: the CRM did not receive exactly the approved calls.\n",
  );
  return isAsPromised ? 0 : 1;
}
