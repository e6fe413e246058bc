import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { post } from "../../support/client.ts";
import { passTime, stopClock, taskIn, wake } from "../../support/tasks.ts";
import { alarmAt, rowOf } from "../../support/task-state.ts";
import { muteWarnings } from "../../support/mute-warnings.ts";

const MINUTE_MS = 60_000;

beforeAll(stopClock);

/** Makes writes of directory rows fail. Writes to other tables still succeed. */
async function refuseRows(): Promise<() => Promise<void>> {
  const abort = "ON directory BEGIN SELECT RAISE(ABORT, 'outage'); END";
  await env.DB.exec(`CREATE TRIGGER no_row BEFORE INSERT ${abort}`);
  const back = async (): Promise<void> => {
    await env.DB.exec("DROP TRIGGER IF EXISTS no_row");
  };
  onTestFinished(back);
  return back;
}

it("a row that the directory rejects stays pending until it is accepted", async () => {
  muteWarnings();
  const id = await taskIn("blocked");
  const back = await refuseRows();
  expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
  for (let tries = 0; tries < 5; tries += 1) {
    passTime(MINUTE_MS);
    expect(await wake(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "blocked" });
    expect((await alarmAt(id)) ?? Infinity).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
  }
  await back();
  passTime(MINUTE_MS);
  expect(await wake(id)).toBe(true);
  expect(await rowOf(id)).toMatchObject({ status: "cancelled" });
  expect(await alarmAt(id)).toBeNull();
});
