import { ID_CHARACTERS_MAX } from "./limits.ts";

/** An id that the client chooses, such as the id of an agent, a team or a tool. */
export const IDENTIFIER_PATTERN = new RegExp(
  `^[A-Za-z0-9][A-Za-z0-9._:@-]{0,${ID_CHARACTERS_MAX - 1}}$`,
);

export const IDENTIFIER_RULE = `must be an id of 1 to ${ID_CHARACTERS_MAX} characters (letters, digits and . _ : @ -) that begins with a letter or digit`;

/** Current and future path segments under /agents, which cannot be agent ids. */
export const RESERVED_AGENT_IDS: readonly string[] = [
  "a2a",
  "access",
  "approvals",
  "audit",
  "claim",
  "console",
  "docs",
  "events",
  "keys",
  "limits",
  "mcp",
  "pause-all",
  "policies",
  "resume-all",
  "sessions",
  "tasks",
  "teams",
  "tools",
  "usage",
  "webhooks",
];
