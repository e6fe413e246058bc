import type { CredentialPlace } from "../../../domain/connector.ts";
import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { follow, type Resolve } from "./references.ts";

/** A way to authenticate that the service can carry out. */
export interface Scheme {
  readonly type: "oauth" | "api-key";
  readonly place: CredentialPlace;
  /** Whether the secret must be put into base64 first, so that it is not the first choice. */
  readonly isBasic: boolean;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The schemes of `components.securitySchemes` by name; null for those that cannot be carried out. */
export function readSchemes(
  document: JsonObject,
  resolve: Resolve,
): ReadonlyMap<string, Scheme | null> {
  const components = isJsonObject(document["components"]) ? document["components"] : {};
  const schemes = components["securitySchemes"];
  return new Map(
    Object.entries(isJsonObject(schemes) ? schemes : {}).map(([name, value]) => {
      const followed = follow(value, resolve);
      return [name, followed.ok ? schemeOf(followed.value) : null];
    }),
  );
}

function schemeOf({ type, in: place, name, scheme }: JsonObject): Scheme | null {
  switch (type) {
    case "apiKey":
      if (typeof name !== "string" || (place !== "header" && place !== "query")) return null;
      if (place === "header" && !HEADER_NAME.test(name)) return null;
      return { type: "api-key", place: { in: place, name, prefix: "" }, isBasic: false };
    case "oauth2":
    case "openIdConnect":
      return { type: "oauth", place: authorization("Bearer "), isBasic: false };
    case "http": {
      const word = typeof scheme === "string" ? scheme.toLowerCase() : "";
      if (word === "bearer") {
        return { type: "api-key", place: authorization("Bearer "), isBasic: false };
      }
      if (word !== "basic") return null;
      return { type: "api-key", place: authorization("Basic "), isBasic: true };
    }
    default:
      return null;
  }
}

function authorization(prefix: string): CredentialPlace {
  return { in: "header", name: "Authorization", prefix };
}
