import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Whether Chromium is installed. Without it, the tests of `path` are skipped with a warning, or
 * fail in CI.
 */
export function hasChromium(path: string): boolean {
  const isInstalled = existsSync(CHROMIUM);
  if (!isInstalled && process.env["CI"] === "true") {
    throw new Error(`CI needs ${CHROMIUM} for the tests of ${path}: apt-get install chromium`);
  }
  if (!isInstalled)
    console.warn(`\n  SKIPPED the tests of ${path} in a browser: there is no ${CHROMIUM}.\n`);
  return isInstalled;
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A page, with the requests that it has sent and the errors that it has reported. */
export interface Watched {
  readonly page: Page;
  readonly requests: string[];
  readonly complaints: string[];
}

export function watch(page: Page): Watched {
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, requests, complaints };
}

/** The page's requests to other origins. Tests expect none. */
export function findForeignRequests({ requests }: Watched, origin: string): string[] {
  return requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"));
}
