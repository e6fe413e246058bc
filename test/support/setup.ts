import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { ignoreImportsAtTeardown } from "./ignore-teardown.ts";
import { endAlarms, resetService } from "./reset.ts";
import { bindShards, isSharded } from "./shards.ts";
import { variablesOf } from "./variables.ts";
import { watchForSecrets } from "./watch-for-secrets.ts";

ignoreImportsAtTeardown();
// The Worker and its objects share this `env` and have not read these variables yet.
const file = expect.getState().testPath ?? "";
Object.assign(env, variablesOf(file));
bindShards(isSharded(file) ? 3 : 1);
// Test files share a runtime, so each one starts by resetting the service.
await resetService();
afterAll(endAlarms);
// No output may contain a secret, except the responses in SHOWN_ONCE.
watchForSecrets();
