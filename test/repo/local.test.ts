import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished, vi } from "vitest";
import { developmentKey, freePort, isPortFree } from "../../scripts/local.ts";

/** Wrangler starts slowly on a busy machine. */
const START_MS = 180_000;

it(
  "npm run dev prints its welcome once and one line per request, protects its state, and exits when npm exits",
  { timeout: START_MS + 60_000 },
  async () => {
    const port = await freePort();
    const state = mkdtempSync(join(tmpdir(), "bosun-test-"));
    const options = ["--port", String(port), "--state", state];
    const npm = spawn("npm", ["run", "dev", "--", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines: string[] = [];
    const outputs = [createInterface(npm.stdout), createInterface(npm.stderr)];
    const closed = Promise.all(
      outputs.map((output) => new Promise((resolve) => output.once("close", resolve))),
    );
    onTestFinished(async () => {
      npm.kill();
      await closed;
      rmSync(state, { recursive: true });
    });
    for (const output of outputs) output.on("line", (line) => lines.push(line));
    const origin = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => expect(lines).toContain(`  Bosun is running at ${origin}`), START_MS);

    // Unless it is disabled, Wrangler's Local Explorer responds at these paths before the Worker
    // does.
    for (const path of ["/cdn-cgi/explorer/api/r2/buckets", "/cdn-cgi/explorer/api/d1/database"]) {
      const answer = await fetch(`${origin}${path}`);
      expect([path, answer.status]).toEqual([path, 401]);
    }

    const headers = { "X-Request-Id": "dev-log-1", Authorization: `Bearer ${developmentKey()}` };
    await fetch(`${origin}/agents/tasks/none`, { headers });
    await vi.waitFor(() => expect(lines.at(-1)).toContain("request=dev-log-1"), 10_000);
    expect(lines.at(-1)).toMatch(
      /^\S+Z request GET \/agents\/tasks\/none: 404, \d+ ms TASK_NOT_FOUND "There is no task .+" key=root /,
    );

    const post = async (path: string, body: object): Promise<number> => {
      const method = { method: "POST", body: JSON.stringify(body) };
      const json = { ...headers, "Content-Type": "application/json" };
      return (await fetch(`${origin}${path}`, { ...method, headers: json })).status;
    };
    // Nothing listens on this port.
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const statuses = [
      await post("/agents/webhooks", { url: `${baseUrl}/hook` }),
      await post("/agents", {
        id: "broken",
        name: "Broken",
        executor: { type: "model", model: "m", baseUrl },
      }),
      await post("/agents/tasks", { task: "Wait", agentId: "broken" }),
    ];
    expect(statuses).toEqual([201, 201, 201]);
    for (const failure of [
      /Z task {4}turn_failed: in_progress 0% planning AGENT_ERROR "The model m failed: .+" agent=broken task=\w{12} request=dev-log-1$/,
      /^warning llm_request_failed error=.+ agent=broken task=\w{12} request=dev-log-1$/,
      /Z webhook whk_\w+ task\.created: no response, attempt 1, \d+ ms ".+" agent=broken task=\w{12} request=dev-log-1$/,
    ]) {
      await vi.waitFor(() => expect(lines).toContainEqual(expect.stringMatching(failure)), 20_000);
    }

    const printed = lines.join("\n");
    expect(printed.split("Bosun is running at")).toHaveLength(2);
    expect(printed).not.toMatch(/Binding|wrangler:info|GET \/health/);

    // The output closes only after every process that inherited it has exited.
    npm.kill("SIGTERM");
    await closed;
    expect(await isPortFree(port)).toBe(true);
  },
);
