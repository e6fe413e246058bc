import { SCOPES, type Scope } from "../../src/keys/model/key.ts";
import { del, ROOT } from "../support/client.ts";
import { keyId, keyWith, UNMANAGING } from "../support/keys.ts";
import { passTime } from "../support/tasks.ts";
import { must, OWN_TENANT } from "./tenants.ts";
import type { Endpoint } from "./endpoint.ts";
import { SPENDING } from "./rules.ts";

export type Bound = "unbound" | "agent" | "team";

/** One kind of key, valid or invalid. */
export interface KeyKind {
  readonly name: string;
  /** The Authorization header; null if the request has none. */
  readonly authorization: string | null;
  readonly isGood: boolean;
  readonly bound: Bound;
  readonly scopes: readonly Scope[];
}

export const ROOT_KIND: KeyKind = {
  name: "root",
  authorization: `Bearer ${ROOT}`,
  isGood: true,
  bound: "unbound",
  scopes: SCOPES,
};

const BINDINGS = {
  unbound: {},
  agent: { agentId: OWN_TENANT.agentId },
  team: { teamId: OWN_TENANT.teamId },
};
export const BOUNDS: readonly Bound[] = ["unbound", "agent", "team"];
const issuedKinds = new Map<string, KeyKind>();

/** Returns a key with these scopes and this binding. Each combination is created once. */
export async function keyKindOf(bound: Bound, scopes: readonly Scope[]): Promise<KeyKind> {
  const name = `${bound === "unbound" ? "unbound" : `bound to its ${bound}`}, ${scopes.join(" ")}`;
  const known = issuedKinds.get(name);
  if (known !== undefined) return known;
  const authorization = `Bearer ${await keyWith(scopes, BINDINGS[bound])}`;
  const kind = { name, authorization, isGood: true, bound, scopes };
  issuedKinds.set(name, kind);
  return kind;
}

/** Forgets the keys of the previous test file, because its storage was reset. */
export function forgetKeyKinds(): void {
  issuedKinds.clear();
}

/** The scopes that a key with this binding can have. */
export function holdableScopes(bound: Bound): readonly Scope[] {
  return bound === "unbound" ? SCOPES : UNMANAGING;
}

/**
 * The root key and, for each binding, keys with a single scope, keys that lack one required scope,
 * and keys with exactly the required scopes.
 */
export async function validKeyKinds({ asks, spends }: Endpoint): Promise<KeyKind[]> {
  const kinds = [ROOT_KIND];
  for (const bound of BOUNDS) {
    const all = holdableScopes(bound);
    for (const scope of all) kinds.push(await keyKindOf(bound, [scope]));
    const wanted = (asks ?? []).filter((scope) => all.includes(scope));
    for (const scope of wanted) {
      kinds.push(
        await keyKindOf(
          bound,
          all.filter((one) => one !== scope),
        ),
      );
    }
    if (wanted.length > 1) kinds.push(await keyKindOf(bound, wanted));
    if (spends !== true) continue;
    for (const scope of SPENDING) kinds.push(await keyKindOf(bound, [...wanted, scope]));
  }
  return [...new Set(kinds)];
}

/** Authorization headers that contain no valid key. */
export async function invalidKeyKinds(): Promise<KeyKind[]> {
  const expiring = await keyWith(SCOPES, {
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  const expiringBound = await keyWith(UNMANAGING, {
    agentId: OWN_TENANT.agentId,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  const revoked = await keyWith(SCOPES);
  const revokedBound = await keyWith(UNMANAGING, { teamId: OWN_TENANT.teamId });
  for (const key of [revoked, revokedBound]) must(await del(`/agents/keys/${keyId(key)}`));
  const good = await keyWith(SCOPES);
  const [, id = "", secret = ""] = good.split("_");
  const flipped = secret.startsWith("0") ? `1${secret.slice(1)}` : `0${secret.slice(1)}`;
  passTime(61_000);
  const shown: Readonly<Record<string, string | null>> = {
    none: null,
    expired: `Bearer ${expiring}`,
    "expired, bound": `Bearer ${expiringBound}`,
    revoked: `Bearer ${revoked}`,
    "revoked, bound": `Bearer ${revokedBound}`,
    "with a wrong secret": `Bearer bsn_${id}_${flipped}`,
    "with an unknown id": `Bearer bsn_${"0".repeat(16)}_${secret}`,
    "in capitals": `Bearer ${good.toUpperCase()}`,
    "its hash": `Bearer ${await hashOf(good)}`,
    "with another scheme": `Basic ${btoa(`${good}:`)}`,
    "without a scheme": good,
    empty: "Bearer ",
    twice: `Bearer ${good}, Bearer ${good}`,
    "root key with an extra letter": `Bearer ${ROOT}x`,
  };
  return Object.entries(shown).map(([name, authorization]) => ({
    name,
    authorization,
    isGood: false,
    bound: "unbound",
    scopes: SCOPES,
  }));
}

async function hashOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
