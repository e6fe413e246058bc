import type { Mutant } from "./mutant.ts";

/** Promise 9: what a bound key has done stays with its agent or team, and ids are not reused. */
export const BINDINGS: readonly Mutant[] = [
  {
    name: "reassign-by-agent-key",
    promise: 9,
    protects: "a key bound to an agent cannot give its task to another agent",
    file: "src/tasks/object.ts",
    find: "if (unbound !== null) return fail(unbound);",
    replace: "",
    tests: ["test/keys/reassign.test.ts"],
    only: /answers 403 and changes nothing/,
  },
  {
    name: "requested-agent-kept",
    promise: 9,
    protects: "a task that a bound key created waits for its agent while that is disabled",
    file: "src/tasks/work.ts",
    find: "const { teamId, requestedAgentId: agentId } = task;",
    replace: "const { teamId } = task;\n  const agentId = null;",
    tests: ["test/keys/reassign.test.ts"],
    only: /when its agent is disabled/,
  },
  {
    name: "agent-outside-team",
    promise: 9,
    protects: "a task of a team is assigned to members of the team alone",
    file: "src/agents/registry.ts",
    find: "teamId === null ? known : and(known, isMember)",
    replace: "teamId === null ? known : and(known)",
    tests: ["test/keys/reassign.test.ts"],
    only: /has left the team/,
  },
];
