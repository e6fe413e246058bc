import { APPROVALS } from "./approvals.ts";
import { AUDIT } from "./audit.ts";
import { BINDINGS } from "./bindings.ts";
import { COSTS } from "./costs.ts";
import { DIRECTORY } from "./directory.ts";
import { DISCLOSURE } from "./disclosure.ts";
import { EDGE } from "./edge.ts";
import { FEED } from "./feed.ts";
import { GRANTS } from "./grants.ts";
import { ISOLATION } from "./isolation.ts";
import { KEY_LIMIT_MUTANTS } from "./key-limits.ts";
import { KEYS } from "./keys.ts";
import { LOG } from "./log.ts";
import { MCP } from "./mcp.ts";
import { MODELS } from "./models.ts";
import type { Mutant } from "./mutant.ts";
import { NEIGHBOURS } from "./neighbours.ts";
import { IDEMPOTENCY } from "./idempotency.ts";
import { PAUSE_MUTANTS } from "./pauses.ts";
import { LIMIT_EFFECTS } from "./limit-effects.ts";
import { LIMITS } from "./limits.ts";
import { POLICIES } from "./policies.ts";
import { RESULTS } from "./results.ts";
import { SECRECY } from "./secrecy.ts";
import { TAKEOVER } from "./takeover.ts";
import { TASK_INPUT } from "./task-input.ts";
import { TIME } from "./time.ts";
import { WORKERS } from "./workers.ts";

export const MUTANTS: readonly Mutant[] = [
  ...LOG,
  ...IDEMPOTENCY,
  ...TIME,
  ...DIRECTORY,
  ...EDGE,
  ...GRANTS,
  ...BINDINGS,
  ...KEYS,
  ...TAKEOVER,
  ...ISOLATION,
  ...NEIGHBOURS,
  ...MODELS,
  ...KEY_LIMIT_MUTANTS,
  ...RESULTS,
  ...SECRECY,
  ...DISCLOSURE,
  ...MCP,
  ...WORKERS,
  ...COSTS,
  ...FEED,
  ...TASK_INPUT,
  ...POLICIES,
  ...APPROVALS,
  ...AUDIT,
  ...PAUSE_MUTANTS,
  ...LIMITS,
  ...LIMIT_EFFECTS,
];
