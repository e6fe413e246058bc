import { describe, expect, it } from "vitest";
import {
  isUnboundScope,
  canActAs,
  canSeeTask,
  SCOPES,
  type Key,
} from "../../../src/keys/model/key.ts";

const UNBOUND: Key = {
  id: "k",
  name: "k",
  scopes: [...SCOPES],
  agentId: null,
  teamId: null,
  agentIds: null,
  requireTask: false,
  expiresAt: null,
  limits: null,
};
const ADAS: Key = { ...UNBOUND, agentId: "ada", agentIds: ["ada"] };
const TEAMS: Key = { ...UNBOUND, teamId: "insights", agentIds: ["ada", "bob"] };

describe("a task's visibility", () => {
  it.each([
    ["a task of agent ada without a team", { agentId: "ada", teamId: null }, [true, true, false]],
    [
      "a task of agent ada for the key's team",
      { agentId: "ada", teamId: "insights" },
      [true, true, true],
    ],
    [
      "a task of agent bob for the key's team",
      { agentId: "bob", teamId: "insights" },
      [true, false, true],
    ],
    [
      "a task of agent bob for another team",
      { agentId: "bob", teamId: "studio" },
      [true, false, false],
    ],
    ["a task without an agent or a team", { agentId: null, teamId: null }, [true, false, false]],
  ])(
    "a task is visible to unbound keys and keys of its agent or team: %s",
    (_, task, [unbound, adas, teams]) => {
      expect(canSeeTask(UNBOUND, task)).toBe(unbound);
      expect(canSeeTask(ADAS, task)).toBe(adas);
      expect(canSeeTask(TEAMS, task)).toBe(teams);
    },
  );
});

it.each([
  ["ada", [true, true, true]],
  ["bob", [true, false, true]],
  ["eve", [true, false, false]],
])("only a key that covers the agent %s can act as it", (agentId, verdicts) => {
  expect([UNBOUND, ADAS, TEAMS].map((key) => canActAs(key, agentId))).toEqual(verdicts);
});

it("a key of a team without agents cannot act as an agent", () => {
  expect(canActAs({ ...TEAMS, agentIds: [] }, "ada")).toBe(false);
});

it("scopes that bound keys cannot have are those that concern all agents and teams", () => {
  expect(SCOPES.filter(isUnboundScope)).toEqual([
    "tools:manage",
    "access:manage",
    "agents:manage",
    "policies:manage",
    "approvals:decide",
    "audit:read",
    "limits:manage",
    "webhooks:manage",
    "keys:manage",
  ]);
});
