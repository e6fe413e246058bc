import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { endAlarms, resetService } from "./reset.ts";
import { bindShards, isSharded } from "./shards.ts";
import { variablesOf } from "./variables.ts";
import { watchForSecrets } from "./watch-for-secrets.ts";

// The Worker and its objects have the same variables as the tests, and none of them has read any yet.
const file = expect.getState().testPath ?? "";
Object.assign(env, variablesOf(file));
bindShards(isSharded(file) ? 3 : 1);
// Files share a runtime, and yet each starts from what a fresh Bosun holds.
await resetService();
afterAll(endAlarms);
// And whatever the service says, it shows no secret: see SHOWN_ONCE for the answers that rightly do.
watchForSecrets();
