import { bytesOfBase64 } from "../../bytes/base64.ts";

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/**
 * What is wrong with the headers that the 2026-07-28 revision has requests repeat their body in, so that
 * intermediaries need not read it; null when they will do. What they say of version and method is compared
 * by the SDK as it classifies the request.
 */
export function headerProblem(
  headers: Headers,
  { method, params }: { readonly method: string; readonly params?: object | undefined },
): string | null {
  for (const name of ["MCP-Protocol-Version", "Mcp-Method"]) {
    if (!headers.has(name)) return `The header ${name} is missing.`;
  }
  const named = params !== undefined && "name" in params ? params.name : null;
  if (method !== "tools/call" || typeof named !== "string") return null;
  const header = headers.get("Mcp-Name");
  if (header === null) return "The header Mcp-Name is missing; it repeats the name of the tool.";
  return decoded(header.trim()) === named
    ? null
    : "The header Mcp-Name names another tool than the body does.";
}

/** A header's text, which is sent in base64 when headers cannot carry it; null for base64 that is none. */
function decoded(header: string): string | null {
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  const bytes = bytesOfBase64(encoded);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
