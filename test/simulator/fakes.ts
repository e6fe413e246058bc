import { join } from "node:path";
import type { Plugin } from "vitest/config";

/** Modules in `src` and the fakes that replace them. */
const FAKES: readonly (readonly [module: string, fake: string])[] = [
  ["/src/platform/d1/client.ts", "./fakes/d1-client.ts"],
  ["/src/events/limits.ts", "./fakes/event-limits.ts"],
  ["/src/events/webhooks/sender.ts", "./fakes/webhook-sender.ts"],
  ["/src/events/webhooks/webhooks.store.ts", "./fakes/webhooks-store.ts"],
  ["/src/tasks/directory/directory.store.ts", "./fakes/directory-store.ts"],
  ["/src/keys/keys.store.ts", "./fakes/keys-store.ts"],
  ["/src/agents/assignment.store.ts", "./fakes/assignment-store.ts"],
  ["/src/agents/no-progress.store.ts", "./fakes/no-progress-store.ts"],
  ["/src/builtin/agent/step.ts", "./fakes/report-step.ts"],
];

/** Replaces modules imported by `src` with fakes. The tests themselves import the real modules. */
export const fakeModules: Plugin = {
  name: "fake-modules",
  enforce: "pre",
  async resolveId(source, importer, options) {
    if (source === "cloudflare:workers") return here("./fakes/cloudflare-workers.ts");
    if (!importer?.includes("/src/") || importer.includes("/node_modules/")) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    const found = FAKES.find(([module]) => resolved?.id.endsWith(module));
    return found === undefined ? resolved : here(found[1]);
  },
};

function here(file: string): string {
  return join(import.meta.dirname, file);
}
