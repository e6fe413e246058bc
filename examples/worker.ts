// A complete worker. It claims an agent's tasks, counts the words in their context and uploads the counts as a table.
// BOSUN_URL=http://127.0.0.1:8787 BOSUN_KEY=bsn_… AGENT_ID=word-counter npm run worker
import { setTimeout as pause } from "node:timers/promises";
const { BOSUN_URL = "http://127.0.0.1:8787", BOSUN_KEY, AGENT_ID, WORKER_NAME } = process.env;
const { CONCURRENCY = 1, LEASE_SECONDS = 60, PAUSE_MS = 0 } = process.env;

interface Task {
  readonly taskId: string;
  readonly progress: number;
  readonly context: { readonly text?: string; readonly csv?: string; readonly askFirst?: string };
  readonly answers: readonly object[];
  readonly lease: { readonly token: string; readonly seconds: number };
}

/** Calls the API and returns the response data. Retries transient errors, because reports can be safely repeated. */
async function call(method: string, path: string, body: object | string, more = {}) {
  const auth = { Authorization: `Bearer ${BOSUN_KEY}`, "Content-Type": "application/json" };
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, 5_000)) {
    const init = { method, headers: { ...auth, ...more }, body: sent };
    const answer = await fetch(`${BOSUN_URL}/agents/tasks/${path}`, init)
      .then((response) => response.json())
      .catch(({ message }: Error) => ({ error: { message, retryable: true } }));
    if (answer.success === true) return answer.data;
    if (!answer.error.retryable) throw new Error(answer.error.message);
    console.log(`${path}: ${answer.error.message}; retrying`);
    await pause(waitMs, null, { signal: exit.signal }).catch(() => process.exit());
  }
}

/** Works on one task: sends heartbeats on a timer, reports progress, uploads a file and reports the result. */
async function work({ taskId: id, context, answers, lease, ...task }: Task): Promise<void> {
  const report = (body: object) => call("POST", `${id}/report`, { lease: lease.token, ...body });
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, exit.signal]);
  const leave = () => gone.abort();
  const beat = () => report({ type: "heartbeat" }).then(({ stop }) => stop && leave(), leave);
  const timer = setInterval(() => void beat(), (lease.seconds * 1_000) / 3);
  try {
    const { askFirst: question, text = context.csv } = context;
    if (question && answers.length === 0) return await report({ type: "blocked", question });
    const words = text?.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
    if (words.length === 0) throw new Error("Neither context.text nor context.csv contains words.");
    const counts = new Map<string, number>();
    for (const [at, word] of words.entries()) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
      if ((at + 1) % Math.ceil(words.length / 10) > 0) continue;
      const progress = Math.max(task.progress, Math.floor((99 * (at + 1)) / words.length));
      await report({ type: "progress", progress, phase: `read ${at + 1} words` });
      await pause(Number(PAUSE_MS), null, { signal });
    }
    const rows = [...counts].toSorted(([, a], [, b]) => b - a);
    const table = ["word,count", ...rows.map((row) => row.join(","))].join("\n");
    const head = { "Bosun-Lease": lease.token, "Content-Type": "text/csv" };
    await call("PUT", `${id}/deliverables/words.csv`, table, head);
    const summary = `${words.length} words, ${rows.length} of them distinct.`;
    const insights = rows.slice(0, 3).map(([word, count]) => `Occurrences of "${word}": ${count}`);
    await report({ type: "completed", result: { summary, insights } });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // On shutdown, return the task. If it was cancelled or its lease was lost, do not report on it.
    const end = exit.signal.aborted ? { type: "released" } : { type: "failed", error: { message } };
    if (end.type === "failed") console.error(`${id}: ${message}`);
    if (!gone.signal.aborted) await report(end).catch(() => {});
  } finally {
    clearInterval(timer);
  }
}

const exit = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => exit.abort());
const lease = { worker: WORKER_NAME, leaseSeconds: Number(LEASE_SECONDS), waitSeconds: 5 };
async function hand(): Promise<void> {
  while (!exit.signal.aborted)
    for (const task of (await call("POST", "claim", { agentId: AGENT_ID, ...lease })).tasks)
      await work(task);
}
console.log(`Working for ${AGENT_ID} at ${BOSUN_URL}; press Ctrl-C to stop.`);
await Promise.all(Array.from({ length: Number(CONCURRENCY) }, hand));
