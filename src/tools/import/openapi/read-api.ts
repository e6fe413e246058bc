import type { Selection } from "../../../domain/tool.ts";
import type { Json } from "../../../domain/json.ts";
import { isJsonObject } from "../../../domain/json.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../../domain/limits.ts";
import type { Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { factsOf, type OperationFacts } from "./capability.ts";
import type { Notes } from "./notes.ts";
import { repeaters } from "./operation-id.ts";
import { listOperations } from "./operations.ts";
import { textIn } from "./parameter-set.ts";
import { parseDocument } from "./parse-document.ts";
import { resolverOf } from "./references.ts";
import { readSecurity, type Security } from "./security.ts";
import { selectOperations } from "./select.ts";
import { readServers, type Addresses, type Servers } from "./servers.ts";
import { copySurface, type Surface } from "./surface.ts";
import { cut } from "./text.ts";
import { checkVersion } from "./version.ts";

/** What an import needs of a document; the document itself can be forgotten. */
export interface Api {
  readonly title: string;
  readonly description: string;
  readonly documentation: string;
  readonly servers: Servers;
  readonly security: Security;
  readonly operations: readonly OperationFacts[];
  readonly surface: Surface;
}

/** The selected operations of the document in a text, with all that concerns them. */
export async function readApi(
  text: string,
  selection: Selection,
  options: Addresses & { readonly isRemembered?: boolean | undefined },
  notes: Notes,
): Promise<Result<Api, readonly Problem[]>> {
  const parsed = await parseDocument(text);
  if (!parsed.ok) return fail([parsed.failure]);
  const document = parsed.value;
  const unknownVersion = checkVersion(document);
  if (unknownVersion !== null) return fail([unknownVersion]);
  const resolve = await resolverOf(document);
  const listed = listOperations(document, resolve, notes);
  if (!listed.ok) return listed;
  const onStranger = options.isRemembered
    ? (name: string) => notes.add("Was selected, and is no longer there", name)
    : null;
  const selected = selectOperations(listed.value, selection, onStranger);
  if (!selected.ok) return selected;
  const servers = readServers(document, selected.value, options, notes);
  if (!servers.ok) return servers;
  const repeating = repeaters(listed.value);
  for (const operation of selected.value) {
    if (!repeating.has(operation)) continue;
    notes.add("Has the operationId of an operation before it, and an id of its own", operation.id);
  }
  const surface = await copySurface(document, selected.value, resolve, notes);
  if (!surface.ok) return surface;
  const info = isJsonObject(document["info"]) ? document["info"] : {};
  const description = cut(textIn(info, "description"), DESCRIPTION_CHARACTERS_MAX);
  const summary = cut(textIn(info, "summary"), DESCRIPTION_CHARACTERS_MAX);
  return ok({
    title: cut(textIn(info, "title"), NAME_CHARACTERS_MAX) || hostOf(servers.value.baseUrl),
    description: description || summary,
    documentation: webAddress(document["externalDocs"]) ?? publicPart(options.sourceUrl),
    servers: servers.value,
    security: readSecurity(document, selected.value, resolve, notes),
    operations: selected.value.map(factsOf),
    surface: surface.value,
  });
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Where a document came from as readers may see it: a query can hold a token. */
function publicPart(sourceUrl: string | null): string {
  const url = URL.parse(sourceUrl ?? "");
  return url === null ? "" : `${url.origin}${url.pathname}`;
}

function webAddress(externalDocs: Json | undefined): string | null {
  if (!isJsonObject(externalDocs)) return null;
  const url = URL.parse(textIn(externalDocs, "url"));
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}
