import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, it } from "vitest";
import { get, post } from "../support/client.ts";
import { create, read, stopClock, wake } from "../support/tasks.ts";
import { objectOf, eventsOf } from "../tasks/look.ts";
beforeAll(stopClock);
const say = (...x: unknown[]) => console.log("§", ...x.map((y) => typeof y === "string" ? y : JSON.stringify(y)));
const csvOf = (bytes: number) => { const rows = ["species,island,a,b,c,d"]; let size = 0;
  for (let i = 0; size < bytes; i++) { const l = `${["x","y","z"][i % 3]},${["p","q"][i % 2]},${(Math.sin(i) * 100).toFixed(2)},${(i * 1.7 % 91).toFixed(2)},${i % 977},${(Math.cos(i) * 50 + i % 7).toFixed(2)}`; rows.push(l); size += l.length + 1; } return rows.join("\n"); };
it("big csv", async () => {
  for (const [bytes, deliverables] of [[2000, ["report", "chart", "spreadsheet"]], [1_000_000, ["report", "presentation", "chart", "analysis"]], [1_000_000, ["spreadsheet"]], [1_000_000, ["report"]]] as const) {
    const id = await create({ context: { csv: csvOf(bytes) }, deliverables: [...deliverables], agentId: "data-analyst" });
    const times: number[] = [];
    for (let i = 0; i < 7; i++) { const t = performance.now(); await wake(id); times.push(Math.round(performance.now() - t)); }
    say("BIG", bytes, deliverables, times, (await read(id)).status);
  }
});
it("rows written", async () => {
  const log: unknown[] = []; let d1 = 0, dobj = 0, alarms = 0;
  const DB: any = { prepare: (sql: string) => { const st: any = env.DB.prepare(sql); const b0 = st.bind.bind(st); st.bind = (...p: any[]) => { const b = b0(...p); for (const m of ["run", "all"]) { const f = b[m].bind(b); b[m] = async () => { const r = await f(); d1 += r.meta.rows_written; log.push([sql.slice(0, 24), r.meta.rows_written]); return r; }; } return b; }; return st; }, batch: (x: any) => env.DB.batch(x) };
  const a = await post("/agents/tasks", { task: "x", context: { text: "Two wharves burnt. One stood." }, agentId: "researcher", deliverables: ["summary"] });
  const id = a.body.data.taskId;
  await runInDurableObject(objectOf(id), (o: any, s) => { Object.assign(o, { env: { ...env, DB } });
    const ex = s.storage.sql.exec.bind(s.storage.sql); (s.storage.sql as any).exec = (...p: any[]) => { const c = (ex as any)(...p); dobj += c.rowsWritten; return c; };
    const sa = s.storage.setAlarm.bind(s.storage); (s.storage as any).setAlarm = (t: any) => { alarms++; return sa(t); }; });
  let n = 0; while ((await read(id)).status !== "completed" && n < 15) { await wake(id); n++; }
  say("rows after create", "wakes", n, "d1", d1, log, "do", dobj, "setAlarm", alarms, "events", (await eventsOf(id)).map((e) => e.type));
});
