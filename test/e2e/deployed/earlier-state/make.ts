// Makes state.tar.gz with the Worker of an earlier release. See README.md.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { migrate, readyIn, START_MAX_MS } from "../../../../scripts/proof/bosun.ts";
import { bundleInto } from "../../../../scripts/proof/bundle.ts";
import { deploy } from "../../../../scripts/proof/deployed.ts";
import type {
  ClaimShape,
  CreatedShape,
  FeedShape,
  FilesShape,
  ListShape,
  LogShape,
  TaskShape,
} from "../../../../scripts/proof/responses.ts";
import { signalRuntime } from "../../../../scripts/proof/runtime.ts";
import { stateFolder } from "../../../../scripts/proof/state.ts";
import { ask, send, type Caller } from "../api-client.ts";
import { closed, listening } from "../http-server.ts";
import { until } from "../processes.ts";
import {
  archiveState,
  STORAGE,
  TASKS,
  toRecordedForm,
  type EarlierState,
  type Request,
  type TaskName,
} from "./earlier-state.ts";

const SECRETS = {
  ROOT_API_KEY: "bsn_root_for-tests-only-of-the-earlier-state",
  SIGNING_KEY: "for-tests-only-signing-key-of-the-earlier-state",
  CREDENTIALS_KEY: `test-1:${Buffer.alloc(32, "for-tests-only").toString("base64")}`,
};
/**
 * Long enough to record everything and then kill the service between two steps of the running
 * tasks.
 */
const STEP_MS = 3_000;
const PATIENCE_MS = 60_000;
const LEASE_SECONDS = 60;
/** The discard port, which refuses connections. */
const NOWHERE = "http://127.0.0.1:9";
const CSV =
  "month,shop,sold\n2026-01,North,120\n2026-01,South,80\n2026-02,North,150\n2026-02,South,95";
const TEXT = "The bosun looks after the gear of a ship. He hands out the work of the day.";

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error("Usage: make.ts <folder of the earlier release>");
process.chdir(resolve(checkout));

const folder = stateFolder("earlier");
const bundle = join(folder.path, "bundle");
bundleInto(bundle);
const runtime = deploy({
  config: "wrangler.toml",
  bundle,
  state: join(folder.path, STORAGE),
  port: 0,
  bindings: {
    ...SECRETS,
    AGENT_STEP_INTERVAL_MS: String(STEP_MS),
    ALLOW_PRIVATE_EGRESS: "true",
  },
});
const { origin } = await readyIn(runtime, START_MAX_MS);
const db = await runtime.getD1Database("DB");
await migrate(db);
const seed = spawnSync(process.execPath, ["scripts/seed-sql.ts"], { encoding: "utf8" });
for (const sql of seed.stdout.split(/;\n/).filter((one) => one.trim() !== "")) {
  await db.prepare(sql).run();
}
const root: Caller = { origin, key: SECRETS.ROOT_API_KEY };

/** A webhook receiver, a tool's API, and a model that does not respond. */
const modelCalled = Promise.withResolvers<void>();
const server = createServer((request, response) => {
  if (request.url?.endsWith("/chat/completions") === true) {
    modelCalled.resolve();
    return;
  }
  void text(request).then(() => {
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"high":1.64}');
  });
});
const served = await listening(server);

async function createKey(body: object): Promise<{ id: string; key: string }> {
  return ask(root, "POST", "/agents/keys", body);
}

async function createTask(body: object): Promise<string> {
  return (await ask<CreatedShape>(root, "POST", "/agents/tasks", body)).taskId;
}

async function claim(key: string): Promise<{ taskId: string; lease: string }> {
  const body = { worker: "old", leaseSeconds: LEASE_SECONDS, waitSeconds: 20 };
  const { tasks } = await ask<ClaimShape>({ origin, key }, "POST", "/agents/tasks/claim", body);
  const [task] = tasks;
  if (task === undefined) throw new Error("There is no task to claim");
  return { taskId: task.taskId, lease: task.lease.token };
}

function taskIs(taskId: string, isWished: (task: TaskShape) => boolean): Promise<TaskShape> {
  return until(() => ask<TaskShape>(root, "GET", `/agents/tasks/${taskId}`), isWished, PATIENCE_MS);
}

/** The cast is safe because `TASKS` contains every name, so the result has a value for each. */
async function mapTasks<Value>(
  read: (name: TaskName) => Promise<Value>,
): Promise<Record<TaskName, Value>> {
  const pairs = TASKS.map(async (name) => [name, await read(name)] as const);
  return Object.fromEntries(await Promise.all(pairs)) as Record<TaskName, Value>;
}

// Create agents, keys, a grant, a team, and a tool with credentials and usage.
await ask(root, "POST", "/agents", {
  id: "crane",
  name: "Crane",
  skills: ["data analysis"],
  executor: { type: "builtin" },
  maxConcurrentTasks: 1,
});
await ask(root, "POST", "/agents/tools/access", {
  agentId: "crane",
  toolId: "table-analyst",
  proficiency: "advanced",
  capabilities: ["profile", "aggregate"],
});
await ask(root, "POST", "/agents", {
  id: "pilot",
  executor: { type: "worker" },
  maxConcurrentTasks: 1,
});
await ask(root, "POST", "/agents", { id: "scribe", executor: { type: "worker" } });
const model = { type: "model", model: "m" };
const modelAgent = { id: "reader", executor: { ...model, baseUrl: `${served}/v1` } };
await ask(root, "POST", "/agents", modelAgent);
await ask(root, "PUT", "/agents/teams/quay", { name: "Quay", agents: ["crane", "pilot"] });
const worker = { scopes: ["tasks:work"] };
const pilot = await createKey({ ...worker, name: "pilot", agentId: "pilot" });
const scribe = await createKey({ ...worker, name: "scribe", agentId: "scribe" });
const revoked = await createKey({ name: "revoked", scopes: ["tasks:read"] });
await ask(root, "DELETE", `/agents/keys/${revoked.id}`);
const keyRequest: Request = {
  path: "/agents/keys",
  body: { name: "creator", scopes: ["tasks:read", "tasks:write"] },
  idempotencyKey: "key-of-the-creator",
};
const { key: creator } = await ask<{ key: string }>(
  root,
  "POST",
  keyRequest.path,
  keyRequest.body,
  { "Idempotency-Key": keyRequest.idempotencyKey },
);
await ask(root, "POST", "/agents/tools", {
  id: "tides",
  name: "Tides",
  category: "data",
  connector: { type: "http", baseUrl: served },
  authentication: { type: "api-key" },
  pricing: { free: 1, overage: 0.25 },
  capabilities: [{ id: "turns", parameters: [], request: { method: "POST", path: "/tides" } }],
});
const credentials = { type: "api-key", value: "harbour-key", in: "header", name: "X-Api-Key" };
await ask(root, "PUT", "/agents/tools/tides/credentials", credentials);
await ask(root, "POST", "/agents/tools/access", { agentId: "scribe", toolId: "tides" });
for (const agentId of ["scribe", "scribe", undefined]) {
  const invocation = { capability: "turns", parameters: {}, agentId };
  await ask(root, "POST", "/agents/tools/tides/invoke", invocation);
}
await ask(root, "PATCH", "/agents/tools/tides", { connector: { baseUrl: NOWHERE } });
await ask(root, "PUT", "/agents/tools/tides/credentials", credentials);
const webhook = await ask<{ id: string; secret: string }>(root, "POST", "/agents/webhooks", {
  url: served,
  types: ["completed", "cancelled"],
});

// Create tasks that end or wait for people.
const taskRequest: Request = {
  path: "/agents/tasks",
  body: {
    task: "Analyse the sales statistics",
    agentId: "data-analyst",
    deliverables: ["summary", "report"],
    context: { csv: CSV },
  },
  idempotencyKey: "task-of-the-creator",
};
const { taskId: completed } = await ask<CreatedShape>(
  { origin, key: creator },
  "POST",
  taskRequest.path,
  taskRequest.body,
  { "Idempotency-Key": taskRequest.idempotencyKey },
);
const summary = { agentId: "researcher", deliverables: ["summary"] };
const blocked = await createTask({
  ...summary,
  task: "Summarise this text",
  context: { text: TEXT, askFirst: "Who will read it?" },
});
const review = await createTask({
  ...summary,
  task: "Summarise this text for approval",
  context: { text: TEXT, requireReview: true },
});
const cancelled = await createTask({
  ...summary,
  task: "Summarise this text in vain",
  context: { text: TEXT, askFirst: "Is it needed?" },
});
const completedByWorker = await createTask({ task: "Write the list", agentId: "scribe" });
const written = await claim(scribe.key);
await ask(
  { origin, key: scribe.key },
  "PUT",
  `/agents/tasks/${written.taskId}/deliverables/list.csv`,
  Array.from({ length: 20_000 }, (_, place) => `berth ${place},free`).join("\n"),
  { "Content-Type": "text/csv", "Bosun-Lease": written.lease },
);
await ask({ origin, key: scribe.key }, "POST", `/agents/tasks/${written.taskId}/report`, {
  lease: written.lease,
  type: "completed",
  result: { summary: "The list has 20,000 berths." },
});
const failed = await createTask({ task: "Write the second list", agentId: "scribe" });
const broken = await claim(scribe.key);
await ask({ origin, key: scribe.key }, "POST", `/agents/tasks/${broken.taskId}/report`, {
  lease: broken.lease,
  type: "failed",
  error: { message: "The pencil broke.", retryable: true },
});
await taskIs(cancelled, ({ status }) => status === "blocked");
await ask(root, "POST", `/agents/tasks/${cancelled}/cancel`, { reason: "Nobody reads it." });
await taskIs(blocked, ({ status }) => status === "blocked");
await taskIs(review, ({ status }) => status === "review");
await taskIs(completed, ({ status }) => status === "completed");
await ask(root, "POST", `/agents/tasks/${completed}/feedback`, { rating: 5 });
const { nextCursor: feedCursor } = await ask<FeedShape>(root, "GET", "/agents/events?limit=100");

// Move the webhook to an address without a receiver, so that a delivery stays pending.
interface Deliveries {
  readonly deliveries: readonly { readonly id: string; readonly attempts: readonly object[] }[];
}
const deliveriesPath = `/agents/webhooks/${webhook.id}/deliveries`;
await until(
  () => ask<Deliveries>(root, "GET", `${deliveriesPath}?status=delivered`),
  ({ deliveries }) => deliveries.length === 3,
  PATIENCE_MS,
);
await ask(root, "PATCH", `/agents/webhooks/${webhook.id}`, { url: NOWHERE });
const undelivered = await createTask({ ...summary, task: "Summarise nothing", context: {} });
await ask(root, "POST", `/agents/tasks/${undelivered}/cancel`, { reason: "There is no text." });
const { deliveries: pending } = await until(
  () => ask<Deliveries>(root, "GET", `${deliveriesPath}?status=pending`),
  ({ deliveries: [one] }) => one !== undefined && one.attempts.length > 0,
  PATIENCE_MS,
);

// Create tasks that are running or waiting when the service is killed.
const waitingForWorker = { task: "Bring in the ship", agentId: "pilot" };
const leased = await createTask({ ...waitingForWorker, priority: "urgent" });
const held = await claim(pilot.key);
await ask({ origin, key: pilot.key }, "POST", `/agents/tasks/${leased}/report`, {
  lease: held.lease,
  type: "progress",
  progress: 40,
  phase: "approaching",
  work: { buoy: 7 },
});
const later = {
  waitingForWorker: await createTask(waitingForWorker),
  lastForWorker: await createTask({ ...waitingForWorker, priority: "low" }),
};
const analysis = { task: "Analyse the data", deliverables: ["summary"], context: { csv: CSV } };
const inModelTurn = await createTask({ task: "Read", agentId: "reader", context: { text: TEXT } });
await modelCalled.promise;
await ask(root, "PATCH", "/agents/reader", { executor: { ...model, baseUrl: `${NOWHERE}/v1` } });
const running = await createTask({ ...analysis, agentId: "data-analyst" });
const runningInQueue = await createTask({ ...analysis, agentId: "crane" });
const waitingInQueue = await createTask({ ...analysis, agentId: "crane" });
const lastInQueue = await createTask({ ...analysis, agentId: "crane", priority: "low" });
const message = {
  messageId: "message-1",
  role: "ROLE_USER",
  parts: [{ text: "Analyse the data" }, { text: CSV, mediaType: "text/csv" }],
  metadata: { bosun: { agentId: "data-analyst" } },
};
const sent = await fetch(`${origin}/a2a/v1/message:send`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${root.key}`,
    "Content-Type": "application/a2a+json",
    "A2A-Version": "1.0",
  },
  body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
});
const { task: a2aTask }: { task: { contextId: string } } = JSON.parse(await sent.text());
for (const taskId of [running, runningInQueue]) {
  await taskIs(taskId, ({ status, progress }) => status === "in_progress" && progress > 0);
}

// Record what the clients know.
const tasks: Record<TaskName, string> = {
  completed,
  completedByWorker,
  blocked,
  review,
  cancelled,
  failed,
  undelivered,
  running,
  runningInQueue,
  waitingInQueue,
  lastInQueue,
  leased,
  ...later,
  inModelTurn,
  sentByA2a: a2aTask.contextId,
};
const logs = await mapTasks(async (name) => {
  return (await ask<LogShape>(root, "GET", `/agents/tasks/${tasks[name]}/events`)).events;
});
const unchanged: readonly TaskName[] = [
  "completed",
  "completedByWorker",
  "cancelled",
  "undelivered",
];
const waiting: readonly TaskName[] = ["blocked", "review", "failed"];
const paths = [
  ...[...unchanged, ...waiting].map((name) => `/agents/tasks/${tasks[name]}`),
  "/agents/scribe",
  "/agents/reader",
  "/agents/teams/quay",
  "/agents/tools/access/crane",
  "/agents/tools/tides",
  "/agents/tools/tides/credentials",
];
const views = await Promise.all(
  paths.map(async (path) => {
    const response = await ask<unknown>(root, "GET", path);
    return [path, toRecordedForm(response, origin)] as const;
  }),
);
const files: { path: string; sha256: string }[] = [];
for (const taskId of [completed, completedByWorker, review]) {
  const path = `/agents/tasks/${taskId}/deliverables`;
  const { deliverables } = await ask<FilesShape>(root, "GET", path);
  for (const { name, downloadUrl } of deliverables) {
    const bytes = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    files.push({ path: `${path}/${name}`, sha256 });
  }
}
const first = await ask<ListShape>(root, "GET", "/agents/tasks?limit=4");
const next = await ask<ListShape>(root, "GET", `/agents/tasks?limit=4&cursor=${first.nextCursor}`);
const { data: usage } = await send<EarlierState["usage"]>(root, "GET", "/agents/tools/tides/usage");
signalRuntime("SIGKILL");
await runtime.dispose();
await closed(server);

const migrations = (await readD1Migrations("./migrations")).map(({ name }) => name);
archiveState(folder.path, {
  secrets: SECRETS,
  migrations,
  tasks,
  logs,
  views: Object.fromEntries(views),
  files,
  keys: { creator, pilot: pilot.key, scribe: scribe.key, revoked: revoked.key },
  createTask: taskRequest,
  createKey: keyRequest,
  lease: held.lease,
  list: { cursor: first.nextCursor ?? "", nextIds: next.tasks.map(({ taskId }) => taskId) },
  feedCursor,
  webhook: { ...webhook, deliveryId: pending[0]?.id ?? "" },
  usage,
});
folder.remove();
