import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

/** Wrangler starts slowly on a busy machine. */
const TIMEOUT_MS = 240_000;

it(
  "npm run demo -- approval makes an approved call exactly once and never makes a denied one",
  { timeout: TIMEOUT_MS },
  async () => {
    const child = spawn(process.execPath, ["scripts/demo.ts", "approval"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit: Promise<unknown[]> = once(child, "exit");
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    expect(code, err).toBe(0);
    const requests = out.split("\n").filter((line) => line.includes("[CRM]"));
    expect(requests).toEqual(["  [CRM] DELETE /customers/ada"]);
    expect(out).toContain('executed, {"status":200,"body":{"deleted":"ada"}}');
    expect(out).toContain('denied, "This customer has unpaid invoices."');
    expect(out).toContain("Customers in the CRM: grace, linus");
    expect(out.match(/There is no terminal, so the demo decides: \w+/g)).toEqual([
      "There is no terminal, so the demo decides: approve",
      "There is no terminal, so the demo decides: deny",
    ]);
  },
);
