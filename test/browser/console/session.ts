import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT_KEY, type Bosun } from "../../../scripts/proof/bosun.ts";
import { call } from "../../e2e/deployed/processes.ts";
import { findForeignRequests, watch, type Watched } from "../chromium.ts";

export const PATIENCE_MS = 120_000;

export interface Setting {
  /** Part of the names of items, so that items from different settings are distinct. */
  readonly name: string;
  readonly width: number;
  readonly theme: "light" | "dark";
}

export const WIDE: Setting = { name: "1280-light", width: 1280, theme: "light" };
export const NARROW: Setting = { name: "360-dark", width: 360, theme: "dark" };

/** The main journeys run at each width in each theme. */
export const SETTINGS: readonly Setting[] = [
  WIDE,
  NARROW,
  { ...WIDE, name: "1280-dark", theme: "dark" },
  { ...NARROW, name: "360-light", theme: "light" },
];

/** Text that runs a script if it is used as HTML, and that a right-to-left override would spread. */
export const HOSTILE = '<img src=x onerror="globalThis.attacked=true"> \u202Etxet';

/** A browser's page that shows the console of `bosun`. */
export interface Session extends Watched {
  readonly bosun: Bosun;
  readonly setting: Setting;
}

/** Opens the console in a new browser context, which is not signed in. */
export async function open(
  browser: Browser,
  bosun: Bosun,
  setting: Setting = WIDE,
  options: BrowserContextOptions = {},
): Promise<Session> {
  const context = await browser.newContext({
    viewport: { width: setting.width, height: 800 },
    colorScheme: setting.theme,
    ...options,
  });
  const watched = watch(await context.newPage());
  await watched.page.goto(`${bosun.origin}/console`);
  return { ...watched, bosun, setting };
}

export async function signIn({ page }: Session, key = ROOT_KEY): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  // Without any task, the console opens with the setup.
  await page.getByRole("heading", { name: /^(Inbox|Setup)$/, level: 1 }).waitFor();
}

/** Opens the console and signs in with the root key. */
export async function openSignedIn(...given: Parameters<typeof open>): Promise<Session> {
  const session = await open(...given);
  await signIn(session);
  // The page asked who is signed in before anyone was.
  expectComplaints(session, ["401"]);
  return session;
}

/** Opens another view without loading the page again, as a link does, and waits until it is rendered. */
export async function visit({ page }: Session, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    history.pushState({}, "", ${JSON.stringify(`/console${path}`)});
    const check = () => {
      const { status, resolvedLocation } = __TSR_ROUTER__.state;
      const isShown = resolvedLocation.publicHref === location.pathname + location.search;
      if (status === "idle" && isShown) requestAnimationFrame(resolve);
      else setTimeout(check, 10);
    };
    check();
  })`);
}

/** Opens another view, and waits until its title is shown. */
export async function visitView(session: Session, path: string, title: string): Promise<void> {
  await visit(session, path);
  await heading(session.page, title);
}

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
}

/** Waits until the page is connected to the event feed. The page shows this once for each width. */
export function untilLive(page: Page): Promise<void> {
  return page.getByText("Live", { exact: true }).filter({ visible: true }).waitFor();
}

/** Expects one complaint with each of these texts since the last call, in any order. */
export function expectComplaints({ complaints }: Session, texts: readonly string[]): void {
  const seen = complaints.splice(0);
  expect(seen).toHaveLength(texts.length);
  for (const text of texts) expect(seen).toContainEqual(expect.stringContaining(text));
}

/** Expects no error, no violated policy, no foreign request and no executed text since the last call. */
export async function expectNoProblems(session: Session): Promise<void> {
  expectComplaints(session, []);
  expect(findForeignRequests(session, session.bosun.origin)).toEqual([]);
  expect(await session.page.evaluate(() => "attacked" in globalThis)).toBe(false);
  expect(await session.page.title()).toMatch(/ – Bosun$/);
}

/** Expects that the page does not scroll horizontally. */
export async function expectFits({ page, setting }: Session): Promise<void> {
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width, page.url()).toBe(setting.width);
}

export function createTask(bosun: Bosun, body: object): Promise<{ taskId: string }> {
  return call(bosun, "POST", "/agents/tasks", body);
}

export async function expectStatus(bosun: Bosun, taskId: string, status: string): Promise<void> {
  await expect
    .poll(async () => (await call(bosun, "GET", `/agents/tasks/${taskId}`)).status, {
      timeout: 20_000,
    })
    .toBe(status);
}
