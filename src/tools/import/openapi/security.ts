import type { CredentialPlace } from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { NAME_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import type { Authentication } from "../../../domain/tool.ts";
import type { Notes } from "./notes.ts";
import type { ListedOperation } from "./operations.ts";
import type { Resolve } from "./references.ts";
import { readSchemes, type Scheme } from "./security-schemes.ts";
import { cut } from "./text.ts";

/** How the API authenticates those who call it. */
export interface Security {
  readonly authentication: Authentication;
  readonly credential: CredentialPlace | null;
  /** Capability ids of operations that are also answered without a credential. */
  readonly anonymous: ReadonlySet<string>;
}

/** One way in: scopes by the name of each scheme that it takes at once. */
type Requirement = ReadonlyMap<string, readonly string[]>;

const ALTERNATIVES_MAX = 10;
const SCOPES_MAX = 50;

const NONE: Security = {
  authentication: { type: "none", scopes: [] },
  credential: null,
  anonymous: new Set(),
};

/**
 * A tool has one credential: the scheme that the document asks for, else the one that most of its
 * operations do, else the first that it describes.
 */
export function readSecurity(
  document: JsonObject,
  operations: readonly ListedOperation[],
  resolve: Resolve,
  notes: Notes,
): Security {
  const schemes = readSchemes(document, resolve);
  const requirementsOf = requirementReader();
  const usual = requirementsOf(document["security"]);
  const asked = operations.map(({ id, operation }) => {
    const own = requirementsOf(operation["security"]);
    return { id, own, requirements: own ?? usual ?? [] };
  });
  noteUndefined(usual, "document.security", schemes, notes);
  for (const { id, own } of asked) noteUndefined(own, id, schemes, notes);
  const chosen =
    choose(usual ?? [], schemes) ??
    choose(byUse(asked.flatMap(({ requirements }) => requirements)), schemes) ??
    choose(
      [...schemes.keys()].map((name) => new Map([[name, []]])),
      schemes,
    );
  if (chosen === null) {
    for (const name of schemes.keys()) {
      notes.add(
        "No credential can be sent, as the scheme is not supported",
        cut(name, NAME_CHARACTERS_MAX),
      );
    }
    return NONE;
  }
  const { name: chosenName, scheme } = chosen;
  const scopes = new Set<string>();
  const anonymous = new Set<string>();
  for (const { id, requirements } of asked) {
    const fitting = requirements.find((requirement) => requirement.has(chosenName));
    for (const scope of fitting?.get(chosenName) ?? []) scopes.add(scope);
    const isOpen = requirements.length === 0 || requirements.some(({ size }) => size === 0);
    if (isOpen) anonymous.add(id);
    else if (fitting === undefined) {
      notes.add(
        `Asks for another credential than ${cut(chosenName, NAME_CHARACTERS_MAX)}, which the tool has`,
        id,
      );
    } else if (fitting.size > 1) {
      notes.add(
        `Asks for a second credential beside ${cut(chosenName, NAME_CHARACTERS_MAX)}, which the tool has`,
        id,
      );
    }
  }
  return {
    authentication: { type: scheme.type, scopes: scheme.type === "oauth" ? [...scopes] : [] },
    credential: scheme.place,
    anonymous,
  };
}

function noteUndefined(
  requirements: readonly Requirement[] | null,
  where: string,
  schemes: ReadonlyMap<string, Scheme | null>,
  notes: Notes,
): void {
  const names = new Set((requirements ?? []).flatMap((requirement) => [...requirement.keys()]));
  for (const name of names) {
    if (schemes.has(name)) continue;
    const told = shown(name.slice(0, NAME_CHARACTERS_MAX));
    notes.add(`Names the security scheme ${told}, which is not defined`, where);
  }
}

/** Reads the alternatives of a `security` field, of which documents have a handful; null where there is none. */
function requirementReader(): (security: Json | undefined) => Requirement[] | null {
  // Thousands of operations can share a large one by reference.
  const known = new WeakMap<JsonObject, Requirement>();

  function read(requirement: JsonObject): Requirement {
    const schemes = Object.entries(requirement).slice(0, ALTERNATIVES_MAX);
    const made = new Map(schemes.map(([name, scopes]) => [name, scopesOf(scopes)]));
    known.set(requirement, made);
    return made;
  }

  return (security) => {
    if (!Array.isArray(security)) return null;
    const alternatives = security.slice(0, ALTERNATIVES_MAX).filter(isJsonObject);
    return alternatives.map((requirement) => known.get(requirement) ?? read(requirement));
  };
}

function scopesOf(scopes: Json): string[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.slice(0, SCOPES_MAX).filter((scope) => typeof scope === "string");
}

/** Each scheme as a way in of its own, those that are asked for most often first. */
function byUse(requirements: readonly Requirement[]): Requirement[] {
  const counts = new Map<string, number>();
  for (const name of requirements.flatMap((requirement) => [...requirement.keys()])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => new Map([[name, []]]));
}

/** The first scheme that can be carried out; Basic, whose secret needs preparing, only for want of others. */
function choose(
  requirements: readonly Requirement[],
  schemes: ReadonlyMap<string, Scheme | null>,
): { readonly name: string; readonly scheme: Scheme } | null {
  const able = requirements
    .toSorted((one, other) => one.size - other.size)
    .flatMap((requirement) => [...requirement.keys()])
    .flatMap((name) => {
      const scheme = schemes.get(name) ?? null;
      return scheme === null ? [] : [{ name, scheme }];
    });
  return able.find(({ scheme }) => !scheme.isBasic) ?? able[0] ?? null;
}
