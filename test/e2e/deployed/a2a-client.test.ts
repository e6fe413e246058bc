import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "./processes.ts";

const PATIENCE_MS = 120_000;

let bosun: Bosun;

beforeAll(async () => {
  bosun = await startBundled({ AGENT_STEP_INTERVAL_MS: "0" });
}, PATIENCE_MS);

afterAll(() => bosun.stop());

describe("examples/a2a-client.ts", { timeout: PATIENCE_MS }, () => {
  it.each(["JSONRPC", "HTTP+JSON"])(
    "over %s, the example client answers the agent's question and reads the report of the completed task",
    async (binding) => {
      const env = {
        ...process.env,
        BOSUN_URL: bosun.origin,
        BOSUN_KEY: ROOT_KEY,
        BINDING: binding,
      };
      const { stdout } = await promisify(execFile)(process.execPath, ["examples/a2a-client.ts"], {
        env,
      });
      const states = [...stdout.matchAll(/^TASK_STATE_(\w+)/gm)].map(([, state]) => state);
      expect(states[0]).toBe("SUBMITTED");
      expect(states.indexOf("INPUT_REQUIRED")).toBeGreaterThan(0);
      expect(states.at(-1)).toBe("COMPLETED");
      expect(stdout).toContain("TASK_STATE_INPUT_REQUIRED Who is it for?");
      expect(stdout).toMatch(/report\.md \(text\/markdown.*\): http.*signature=/);
      expect(stdout).toMatch(/^# .*\n/m);
      const { tasks } = await call(bosun, "GET", "/agents/tasks?limit=1");
      expect(tasks).toMatchObject([{ status: "completed", priority: "high" }]);
    },
  );
});
