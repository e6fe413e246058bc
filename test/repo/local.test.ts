import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ensureSecrets, freePort, startService } from "../../scripts/local.ts";

it(
  "a local service rejects requests for its state without a key",
  { timeout: 120_000 },
  async () => {
    ensureSecrets();
    const stateDir = mkdtempSync(join(tmpdir(), "bosun-test-"));
    const service = await startService({ port: await freePort(), stateDir, quiet: true });
    onTestFinished(async () => {
      await service.stop();
      rmSync(stateDir, { recursive: true });
    });
    // Wrangler serves its Local Explorer at this path before the Worker, unless it is disabled.
    for (const path of ["/cdn-cgi/explorer/api/r2/buckets", "/cdn-cgi/explorer/api/d1/database"]) {
      const answer = await fetch(`${service.origin}${path}`);
      expect([path, answer.status]).toEqual([path, 401]);
    }
  },
);
