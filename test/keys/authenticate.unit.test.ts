import { describe, expect, it } from "vitest";
import { refreshCachedKey, type CachedKey } from "../../src/keys/authenticate.ts";
import type { StoredKey } from "../../src/keys/keys.store.ts";

const STORED: StoredKey = {
  id: "0123456789abcdef",
  name: "worker",
  scopes: ["tasks:work"],
  hash: "a".repeat(64),
  agentId: null,
  teamId: null,
  teamAgentIds: [],
  createdBy: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  limits: null,
  requireTask: false,
};
const BEFORE: CachedKey = { stored: STORED, verifiedKey: "the presented key" };

describe("a cached key", () => {
  it("a key is not hashed again while its stored hash stays the same", () => {
    const stored = { ...STORED, revokedAt: 5 };
    expect(refreshCachedKey(BEFORE, stored)).toEqual({ stored, verifiedKey: "the presented key" });
  });

  it("a key is hashed when it is first read, and again once its stored hash has changed", () => {
    const stored = { ...STORED, hash: "b".repeat(64) };
    expect(refreshCachedKey(BEFORE, stored)).toEqual({ stored, verifiedKey: null });
    expect(refreshCachedKey(null, STORED)).toEqual({ stored: STORED, verifiedKey: null });
  });
});
