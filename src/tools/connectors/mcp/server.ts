import type { Authorisation } from "../../../domain/connector.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { CallFault } from "../contract.ts";
import { unsendable } from "../http/fault.ts";

/** The server that a conversation is held with. */
export interface McpServer {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorisation: Authorisation | null;
}

/** The same as it was registered, if requests can be made of it at all. */
export function serverOf(given: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorisation: Authorisation | null;
}): Result<McpServer, CallFault> {
  const { headers, authorisation } = given;
  const url = URL.parse(given.url);
  if (url === null) {
    return fail({ kind: "refused_address", url: given.url, reason: "is not a URL" });
  }
  if (!areHeaders(headers)) return fail(unfit("one of the tool's headers"));
  if (
    authorisation?.in === "header" &&
    !areHeaders({ [authorisation.name]: authorisation.value })
  ) {
    return fail(unfit("the credential"));
  }
  return ok({ url, headers, authorisation });
}

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

function unfit(what: string): CallFault {
  const reason = `${what} holds characters that HTTP headers cannot carry.`;
  return unsendable(reason);
}
