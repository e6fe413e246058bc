import { join } from "node:path";
import type { Plugin } from "vitest/config";

/** What the objects meet in the simulator instead of the platform and of what computes for long. */
const STAND_INS: readonly (readonly [module: string, standIn: string])[] = [
  ["/src/platform/d1/client.ts", "./stand-ins/client.ts"],
  ["/src/events/limits.ts", "./stand-ins/limits.ts"],
  ["/src/events/webhooks/sender.ts", "./stand-ins/deliver.ts"],
  ["/src/events/webhooks/webhooks.store.ts", "./stand-ins/webhook-store.ts"],
  ["/src/tasks/directory/directory.store.ts", "./stand-ins/directory.ts"],
  ["/src/tasks/directory/ratings.store.ts", "./stand-ins/ratings.ts"],
  ["/src/keys/keys.store.ts", "./stand-ins/key-store.ts"],
  ["/src/agents/assignment.store.ts", "./stand-ins/registry.ts"],
  ["/src/builtin/agent/step.ts", "./stand-ins/step.ts"],
];

/** Puts the stand-ins in the places of modules that `src` imports; the tests themselves get the real ones. */
export const standIns: Plugin = {
  name: "stand-ins",
  enforce: "pre",
  async resolveId(source, importer, options) {
    if (source === "cloudflare:workers") return here("./stand-ins/workers.ts");
    if (!importer?.includes("/src/") || importer.includes("/node_modules/")) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    const found = STAND_INS.find(([module]) => resolved?.id.endsWith(module));
    return found === undefined ? resolved : here(found[1]);
  },
};

function here(file: string): string {
  return join(import.meta.dirname, file);
}
