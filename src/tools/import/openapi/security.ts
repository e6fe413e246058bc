import type { CredentialPlace } from "../../model/connector.ts";
import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { NAME_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { preview } from "../../../kernel/result.ts";
import type { ToolAuthentication } from "../../model/tool.ts";
import { isHeaderName } from "../../../kernel/header-name.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";
import type { ListedOperation } from "./operations.ts";
import { followReference, type ResolveReference } from "./references.ts";

/** An authentication scheme that the service supports. */
interface SecurityScheme {
  readonly type: "oauth" | "api-key";
  readonly place: CredentialPlace;
  /** Whether the secret must be base64-encoded. Such a scheme is chosen last. */
  readonly isBasic: boolean;
}

/** The schemes in `components.securitySchemes`, by name; null for unsupported schemes. */
function readSecuritySchemes(
  document: JsonObject,
  resolve: ResolveReference,
): ReadonlyMap<string, SecurityScheme | null> {
  const components = toJsonObject(document["components"]);
  const schemes = components["securitySchemes"];
  return new Map(
    Object.entries(toJsonObject(schemes)).map(([name, value]) => {
      const followed = followReference(value, resolve);
      return [name, followed.ok ? toSecurityScheme(followed.value) : null];
    }),
  );
}

function toSecurityScheme({ type, in: place, name, scheme }: JsonObject): SecurityScheme | null {
  switch (type) {
    case "apiKey":
      if (typeof name !== "string" || (place !== "header" && place !== "query")) return null;
      if (place === "header" && !isHeaderName(name)) return null;
      return { type: "api-key", place: { in: place, name, prefix: "" }, isBasic: false };
    case "oauth2":
    case "openIdConnect":
      return { type: "oauth", place: authorizationHeader("Bearer "), isBasic: false };
    case "http": {
      const word = typeof scheme === "string" ? scheme.toLowerCase() : "";
      if (word === "bearer") {
        return { type: "api-key", place: authorizationHeader("Bearer "), isBasic: false };
      }
      if (word !== "basic") return null;
      return { type: "api-key", place: authorizationHeader("Basic "), isBasic: true };
    }
    default:
      return null;
  }
}

function authorizationHeader(prefix: string): CredentialPlace {
  return { in: "header", name: "Authorization", prefix };
}

export interface ApiSecurity {
  readonly authentication: ToolAuthentication;
  readonly credential: CredentialPlace | null;
  /** Ids of capabilities that also work without a credential. */
  readonly anonymous: ReadonlySet<string>;
}

/** One alternative: the required schemes, with the scopes of each. */
type SecurityRequirement = ReadonlyMap<string, readonly string[]>;

const ALTERNATIVES_MAX = 10;
const SCOPES_MAX = 50;

const NO_SECURITY: ApiSecurity = {
  authentication: { type: "none", scopes: [] },
  credential: null,
  anonymous: new Set(),
};

/**
 * Chooses the scheme for the tool's single credential: the supported scheme that the document requires, otherwise the
 * most used one, otherwise the first.
 */
export function readSecurity(
  document: JsonObject,
  operations: readonly ListedOperation[],
  resolve: ResolveReference,
  notes: ImportNotes,
): ApiSecurity {
  const schemes = readSecuritySchemes(document, resolve);
  const requirementsOf = createRequirementReader();
  const usual = requirementsOf(document["security"]);
  const asked = operations.map(({ id, operation }) => {
    const own = requirementsOf(operation["security"]);
    return { id, own, requirements: own ?? usual ?? [] };
  });
  noteUndefinedSchemes(usual, "document.security", schemes, notes);
  for (const { id, own } of asked) noteUndefinedSchemes(own, id, schemes, notes);
  const chosen =
    chooseScheme(usual ?? [], schemes) ??
    chooseScheme(rankByUse(asked.flatMap(({ requirements }) => requirements)), schemes) ??
    chooseScheme(
      [...schemes.keys()].map((name) => new Map([[name, []]])),
      schemes,
    );
  if (chosen === null) {
    for (const name of schemes.keys()) {
      notes.add(
        "No credential can be sent, because the scheme is not supported",
        trimToLength(name, NAME_CHARACTERS_MAX),
      );
    }
    return NO_SECURITY;
  }
  const { name: chosenName, scheme } = chosen;
  const scopes = new Set<string>();
  const anonymous = new Set<string>();
  for (const { id, requirements } of asked) {
    const fitting = requirements.find((requirement) => requirement.has(chosenName));
    for (const scope of fitting?.get(chosenName) ?? []) scopes.add(scope);
    const isOpen = requirements.length === 0 || requirements.some(({ size }) => size === 0);
    if (isOpen) anonymous.add(id);
    else if (fitting === undefined || fitting.size > 1) {
      const other =
        fitting === undefined ? "a credential other than" : "a second credential in addition to";
      const own = trimToLength(chosenName, NAME_CHARACTERS_MAX);
      notes.add(`Requires ${other} ${own}, which is the tool's only credential`, id);
    }
  }
  return {
    authentication: { type: scheme.type, scopes: scheme.type === "oauth" ? [...scopes] : [] },
    credential: scheme.place,
    anonymous,
  };
}

function noteUndefinedSchemes(
  requirements: readonly SecurityRequirement[] | null,
  where: string,
  schemes: ReadonlyMap<string, SecurityScheme | null>,
  notes: ImportNotes,
): void {
  const names = new Set((requirements ?? []).flatMap((requirement) => [...requirement.keys()]));
  for (const name of names) {
    if (schemes.has(name)) continue;
    const shownName = preview(name.slice(0, NAME_CHARACTERS_MAX));
    notes.add(`Refers to the security scheme ${shownName}, which is not defined`, where);
  }
}

/**
 * Returns a function that reads the alternatives in a `security` field. The function returns null if there is no such
 * field.
 */
function createRequirementReader(): (security: Json | undefined) => SecurityRequirement[] | null {
  // Thousands of operations can share one large value.
  const known = new WeakMap<JsonObject, SecurityRequirement>();

  function read(requirement: JsonObject): SecurityRequirement {
    const schemes = Object.entries(requirement).slice(0, ALTERNATIVES_MAX);
    const made = new Map(schemes.map(([name, scopes]) => [name, readScopes(scopes)]));
    known.set(requirement, made);
    return made;
  }

  return (security) => {
    if (!Array.isArray(security)) return null;
    const alternatives = security.slice(0, ALTERNATIVES_MAX).filter(isJsonObject);
    return alternatives.map((requirement) => known.get(requirement) ?? read(requirement));
  };
}

function readScopes(scopes: Json): string[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.slice(0, SCOPES_MAX).filter((scope) => typeof scope === "string");
}

/** Each scheme as an alternative, most frequent first. */
function rankByUse(requirements: readonly SecurityRequirement[]): SecurityRequirement[] {
  const counts = new Map<string, number>();
  for (const name of requirements.flatMap((requirement) => [...requirement.keys()])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => new Map([[name, []]]));
}

/**
 * Chooses the first supported scheme, trying alternatives with fewer schemes first. Basic is chosen only if there is no
 * other.
 */
function chooseScheme(
  requirements: readonly SecurityRequirement[],
  schemes: ReadonlyMap<string, SecurityScheme | null>,
): { readonly name: string; readonly scheme: SecurityScheme } | null {
  const able = requirements
    .toSorted((one, other) => one.size - other.size)
    .flatMap((requirement) => [...requirement.keys()])
    .flatMap((name) => {
      const scheme = schemes.get(name) ?? null;
      return scheme === null ? [] : [{ name, scheme }];
    });
  return able.find(({ scheme }) => !scheme.isBasic) ?? able[0] ?? null;
}
