import { DurableObject } from "cloudflare:workers";
import { pageQuery } from "../../page-query.ts";

/**
 * The baseline. Each task has one object and one D1 insert, each step one insert and one alarm, and nothing is
 * validated. Its D1 database has the same `directory` table as Bosun's, so an insert updates the same indexes.
 */
interface BareEnv {
  readonly DB: D1Database;
  readonly TASKS: DurableObjectNamespace<BareTask>;
}

const STEPS = 5;

interface Started {
  readonly task: string;
  /** The time when the first step is due, in milliseconds since 1970. */
  readonly dueAt: number;
}

export class BareTask extends DurableObject<BareEnv> {
  async create({ task, dueAt }: Started): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const { sql } = this.ctx.storage;
      sql.exec("CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER, data TEXT)");
      sql.exec("INSERT INTO events VALUES (0, ?, ?)", Date.now(), task);
      void this.ctx.storage.setAlarm(dueAt);
    });
  }

  async read(): Promise<{ status: string; progress: number; task: string }> {
    const { sql } = this.ctx.storage;
    const first = sql.exec<{ data: string }>("SELECT data FROM events WHERE seq = 0").one();
    const { seq } = sql.exec<{ seq: number }>("SELECT max(seq) AS seq FROM events").one();
    const status = seq === STEPS ? "completed" : "in_progress";
    return { status, progress: (100 * seq) / STEPS, task: first.data };
  }

  override async alarm(): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const { sql } = this.ctx.storage;
      const { seq } = sql.exec<{ seq: number }>("SELECT max(seq) AS seq FROM events").one();
      const next = seq + 1;
      sql.exec("INSERT INTO events VALUES (?, ?, ?)", next, Date.now(), "step");
      if (next < STEPS) void this.ctx.storage.setAlarm(Date.now());
    });
  }
}

async function create(request: Request, env: BareEnv): Promise<Response> {
  const { task, startInMs } = await request.json<{ task: string; startInMs: number }>();
  const id = env.TASKS.newUniqueId();
  const now = Date.now();
  await env.TASKS.get(id).create({ task, dueAt: now + startInMs });
  await env.DB.prepare(
    `INSERT INTO directory (id, seq, status, task, agent_id, agent_name, priority, attempt, created_at)
     VALUES (?, 1, 'pending', ?, 'researcher', 'Researcher', 'medium', 1, ?)`,
  )
    .bind(id.toString(), task, now)
    .run();
  return Response.json({ id: id.toString() }, { status: 201 });
}

async function list(url: URL, env: BareEnv): Promise<Response> {
  const { sql, values } = pageQuery("directory", url.searchParams, (n) => `?${n}`);
  const { results } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return Response.json({ tasks: results });
}

export default {
  async fetch(request: Request, env: BareEnv): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/tasks" && request.method === "POST") return create(request, env);
    if (url.pathname === "/tasks") return list(url, env);
    if (url.pathname === "/fetch") return fetch(url.searchParams.get("url") ?? "");
    if (url.pathname.startsWith("/tasks/")) {
      const id = env.TASKS.idFromString(url.pathname.slice("/tasks/".length));
      return Response.json(await env.TASKS.get(id).read());
    }
    return new Response("ok");
  },
} satisfies ExportedHandler<BareEnv>;
