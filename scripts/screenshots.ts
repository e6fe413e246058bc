// npm run screenshots: takes the pictures of the console in docs/images, from a service that it starts and fills. Needs
// /usr/bin/chromium.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import {
  developmentKey,
  ensureSecrets,
  freePort,
  prepareDatabase,
  signInLink,
  startService,
} from "./local.ts";

const IMAGES = join(import.meta.dirname, "../docs/images");
const VIEWPORT = { width: 1_280, height: 800 };
const CSV = ["day,region,sold", ...Array.from({ length: 40 }, (_, day) => rowOf(day + 1))].join(
  "\n",
);
const TEXT =
  "The harbour of Bergen was rebuilt in 1702. Fire had taken the wooden wharf. Merchants paid for stone cellars.";
const HOUR_MS = 3_600_000;

ensureSecrets();
const stateDir = mkdtempSync(join(tmpdir(), "bosun-screenshots-"));
prepareDatabase(stateDir);
const service = await startService({ port: await freePort(), stateDir, log: "warnings" });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
// The service restarts when files in docs/ change, so the pictures are moved there at the end.
const pictureDir = join(stateDir, "pictures");
mkdirSync(pictureDir);
try {
  const blockedId = await createTasks();
  for (const colorScheme of ["light", "dark"] as const)
    await takePictures(browser, colorScheme, blockedId);
  cpSync(pictureDir, IMAGES, { recursive: true });
} finally {
  await browser.close();
  await service.stop();
  rmSync(stateDir, { recursive: true });
}

function rowOf(day: number): string {
  return `${day},${["North", "South", "East"][day % 3]},${10 + ((day * 7) % 23)}`;
}

/** Creates tasks in several statuses, and waits until one is blocked. Returns its id. */
async function createTasks(): Promise<string> {
  await call("POST", "/agents", {
    id: "pump-reader",
    name: "Pump reader",
    executor: { type: "worker" },
    maxConcurrentTasks: 1,
  });
  for (const [index, priority] of ["low", "medium", "high", "urgent"].entries()) {
    await createTask({
      task: `Check the readings of pump ${index + 1}`,
      agentId: "pump-reader",
      priority,
      deadline: new Date(Date.now() + (index + 2) * HOUR_MS).toISOString(),
      labels: { site: "harbour" },
    });
  }
  await createTask({
    task: "Write a report on the sales of the three regions",
    context: { csv: CSV },
    deliverables: ["report", "chart", "slides"],
  });
  const reviewId = await createTask({
    task: "Summarise the history of the harbour",
    context: { text: TEXT, requireReview: true },
    deliverables: ["report"],
  });
  const blockedId = await createTask({
    task: "Compare the regions",
    agentId: "data-analyst",
    context: { csv: CSV, askFirst: "Which days should I compare: the first 20 or all 40?" },
  });
  await call("POST", "/agents/tasks/claim", { agentId: "pump-reader", worker: "harbour-1" });
  await untilStatus(reviewId, "review");
  await untilStatus(blockedId, "blocked");
  return blockedId;
}

async function createTask(body: object): Promise<string> {
  const { taskId } = await call<{ taskId: string }>("POST", "/agents/tasks", body);
  return taskId;
}

/** Waits in the service until the task has the status. */
async function untilStatus(id: string, wanted: string): Promise<void> {
  for (;;) {
    const { status } = await call<{ status: string }>("GET", `/agents/tasks/${id}`);
    if (status === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function call<Data>(method: string, path: string, body?: object): Promise<Data> {
  const response = await fetch(service.origin + path, {
    method,
    headers: { Authorization: `Bearer ${developmentKey()}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  const { data }: { data: Data } = JSON.parse(await response.text());
  return data;
}

async function takePictures(
  from: Browser,
  colorScheme: "light" | "dark",
  taskId: string,
): Promise<void> {
  const context = await from.newContext({ viewport: VIEWPORT, colorScheme });
  const page = await context.newPage();
  await page.goto(signInLink(service.origin));
  const pictures = [
    { name: "inbox", path: "", shown: "Which days should I compare" },
    { name: "board", path: "/tasks?view=board", shown: "Check the readings of pump 4" },
    { name: "task", path: `/tasks/${taskId}`, shown: "Asked a question" },
  ];
  for (const { name, path, shown } of pictures) {
    await page.goto(`${service.origin}/console${path}`);
    await page.getByText(shown).first().waitFor();
    await page.getByText("Live", { exact: true }).locator("visible=true").first().waitFor();
    const loading = page.getByRole("status").filter({ hasText: /^Loading/ });
    await loading.first().waitFor({ state: "hidden" });
    await page.screenshot({ path: join(pictureDir, `console-${name}-${colorScheme}.png`) });
  }
  await context.close();
}
