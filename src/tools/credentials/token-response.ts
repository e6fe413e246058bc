import type { Exchange } from "../../egress/contract.ts";

const BODILESS = new Set([101, 204, 205, 304]);

/**
 * The answer of a token endpoint as OAuth has it. Some say no with status 200 (GitHub, Slack); an ID
 * token is nobody's business here; and a challenge would hide the error that stands in the body.
 */
export function tokenResponse({ status, headers, bytes }: Exchange): Response {
  const type = headers.get("Content-Type") ?? "";
  if (BODILESS.has(status)) return new Response(null, { status });
  const answer = objectIn(bytes);
  if (answer === null) return new Response(bytes, { status, headers: { "Content-Type": type } });
  const { id_token: _none, ...rest } = answer;
  const saysNo = typeof rest["error"] === "string" && rest["access_token"] === undefined;
  return Response.json(rest, { status: saysNo && status === 200 ? 400 : status });
}

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : null;
  } catch {
    return null;
  }
}
