import { AxeBuilder } from "@axe-core/playwright";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { call, startBundled } from "../../e2e/deployed/processes.ts";
import { hasChromium, launchChromium } from "../chromium.ts";
import {
  expectFits,
  expectNoProblems,
  HOSTILE,
  NARROW,
  openSignedIn,
  PATIENCE_MS,
  visitView,
  WIDE,
} from "./session.ts";

describe.skipIf(!hasChromium("/console"))(
  "the audit log in the console in Chromium",
  { timeout: PATIENCE_MS },
  () => {
    let bosun: Bosun;
    let browser: Browser;

    beforeAll(async () => {
      [bosun, browser] = await Promise.all([startBundled({}), launchChromium()]);
      // More rows than one page of the list contains.
      for (let count = 0; count < 60; count += 1) {
        const name = count === 59 ? HOSTILE : `Team ${count}`;
        await call(bosun, "PUT", "/agents/teams/renamed", { name, agents: ["researcher"] });
      }
      await call(bosun, "PATCH", "/agents/researcher", { enabled: false });
      await call(bosun, "PATCH", "/agents/researcher", { enabled: true });
    }, PATIENCE_MS);

    afterAll(async () => {
      await browser.close();
      await bosun.stop();
    });

    it.each([WIDE, NARROW])(
      "a person finds a change, sees its states, exports the log and verifies it ($name)",
      async (setting) => {
        const session = await openSignedIn(browser, bosun, setting);
        const { page } = session;
        await visitView(session, "/audit", "Audit");
        const log = page.getByRole("list", { name: "Audit log, newest first" });
        await log
          .getByRole("button", { name: /^Signed in / })
          .first()
          .waitFor();

        await page.getByLabel("Action", { exact: true }).selectOption("agent.changed");
        await log
          .getByRole("button", { name: /^Agent changed researcher/ })
          .nth(1)
          .click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("region", { name: "Before" }).waitFor();
        expect(await dialog.getByRole("region", { name: "Before" }).innerText()).toContain(
          '"enabled": true',
        );
        expect(await dialog.getByRole("region", { name: "After" }).innerText()).toContain(
          '"enabled": false',
        );
        await expectFits(session);
        const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);
        await dialog.getByRole("link", { name: "All rows about this subject" }).click();
        await dialog.waitFor({ state: "detached" });
        expect(new URL(page.url()).search).toBe("?subjectId=researcher");

        await visitView(session, "/audit?subjectType=team", "Audit");
        await log
          .getByRole("button", { name: /^Team changed renamed/ })
          .first()
          .click();
        await dialog.getByRole("region", { name: "After" }).waitFor();
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        // The list loads the next page at its end.
        await expect
          .poll(async () => {
            await page.mouse.wheel(0, 20_000);
            return log.getByRole("button", { name: /^Team created renamed/ }).count();
          })
          .toBe(1);

        const exported = page.waitForEvent("download");
        await page.getByRole("link", { name: "Export" }).click();
        const lines = (await readFile(await (await exported).path(), "utf8")).trimEnd().split("\n");
        expect(lines).toHaveLength(60);
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ action: "team.created" });

        await page.keyboard.press("v");
        await page.getByText("The log is unchanged.").waitFor();
        await expectFits(session);
        await expectNoProblems(session);
        await page.context().close();
      },
    );
  },
);
