// npm run console:load: opens the console's tasks and events views in Chromium while 200 events per second arrive. The
// main thread must stay free, and the heap must not grow. CONSOLE_LOAD_RATE and CONSOLE_LOAD_SECONDS (for each view)
// change the load. A server on loopback sends the events, in the format of GET /agents/events, and serves a list of the
// tasks that they are about. They are recorded events of a real task. The service itself cannot create that many
// events on a small machine that also runs the browser.
import { chromium } from "playwright-core";
import { ROOT_KEY, startBosun } from "./proof/bosun.ts";
import { measure, quantile, type Measurement } from "./proof/console-load/measure.ts";
import { recordTask } from "./proof/console-load/recording.ts";
import { startReplayServer } from "./proof/console-load/replay-server.ts";
import { setting } from "./proof/setting.ts";

const DELAY_P95_MS_MAX = 50;
/** The server must have sent this share of the events. */
const EVENTS_SHARE_MIN = 0.9;
const HEAP_GROWTH_MAX = 0.2;
/** The events view keeps this many events. Until it has them, its heap grows. */
const EVENTS_KEPT = 3_000;
const VIEWS = ["Tasks", "Events"] as const;

const rate = setting("CONSOLE_LOAD_RATE", 200, 1, 2_000);
const seconds = setting("CONSOLE_LOAD_SECONDS", 60, 2, 3_600);
console.log(`CONSOLE_LOAD_RATE=${rate} CONSOLE_LOAD_SECONDS=${seconds}`);
const bosun = await startBosun();
const server = await startReplayServer(bosun.origin, await recordTask(bosun));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const measurements: Measurement[] = [];
try {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  await page.goto(`${server.origin}/console`);
  await page.getByLabel("API key").fill(ROOT_KEY);
  await page.keyboard.press("Enter");
  for (const view of VIEWS) {
    await page.getByRole("link", { name: view, exact: true }).click();
    await page.getByRole("heading", { name: view, level: 1 }).waitFor();
    await page.getByText("Live", { exact: true }).filter({ visible: true }).waitFor();
    measurements.push(await measure(page, server, { view, rate, seconds }));
  }
} finally {
  await browser.close();
  await server.close();
  await bosun.stop();
}

console.table(
  Object.fromEntries(
    measurements.map(({ view, events, delays, longTasks, busy, heap }) => [
      view,
      {
        events,
        "delay p50 (ms)": quantile(delays, 0.5).toFixed(1),
        "delay p95 (ms)": quantile(delays, 0.95).toFixed(1),
        "delay max (ms)": Math.max(...delays).toFixed(0),
        "long tasks": longTasks.length,
        "long task p95 (ms)": quantile(longTasks, 0.95).toFixed(0),
        busy: `${(100 * busy).toFixed(0)} %`,
        "heap (MiB)": heap.map((size) => size.toFixed(1)).join(", "),
      },
    ]),
  ),
);
const problems = measurements.flatMap(({ view, events, delays, heap: [, middle, end] }) => [
  ...(events < EVENTS_SHARE_MIN * rate * seconds
    ? [`${view}: only ${events} of ${rate * seconds} events were sent.`]
    : []),
  ...(quantile(delays, 0.95) >= DELAY_P95_MS_MAX
    ? [`${view}: the main thread is blocked for ${DELAY_P95_MS_MAX} ms or more at p95.`]
    : []),
  ...((rate * seconds) / 2 >= EVENTS_KEPT && end > middle * (1 + HEAP_GROWTH_MAX)
    ? [`${view}: the heap grew by more than ${100 * HEAP_GROWTH_MAX} % in the second half.`]
    : []),
]);
for (const problem of problems) console.error(problem);
if ((rate * seconds) / 2 < EVENTS_KEPT) console.log("The run was too short to judge the heap.");
console.log(problems.length === 0 ? "All checks passed." : "FAILED");
process.exit(problems.length === 0 ? 0 : 1);
