import {
  CLIENT_AUTHENTICATIONS,
  type CredentialType,
  type OauthCredential,
} from "../../domain/credential.ts";
import type { Failure } from "../../domain/failure.ts";
import type { TokenFault } from "./token-fault.ts";
import type { CredentialTool } from "./store.ts";

type Subject = Pick<OauthCredential, "type">;
type Client = Pick<OauthCredential, "type" | "clientSecret" | "clientAuthentication">;

/** A tool that needs credentials and has none. */
export function missing({ id, authentication }: Omit<CredentialTool, "connector">): Failure {
  const example =
    authentication.type === "oauth"
      ? '{"type": "oauth-client-credentials", "tokenUrl": …, "clientId": …, "clientSecret": …}, or of type oauth-refresh-token or oauth-authorization-code'
      : '{"type": "api-key", "value": …}';
  return required(id, `it has no credentials. ${put(id)} and ${example}.`);
}

/** Credentials of which a person has to begin the grant, or begin it again. */
export function unconnected(toolId: string, credential: Subject): Failure {
  return required(
    toolId,
    `its grant is missing, expired or revoked. ${anew(toolId, credential.type)}`,
  );
}

export function unreadable(toolId: string): Failure {
  return required(
    toolId,
    `its credentials were sealed under a key that CREDENTIALS_KEY no longer holds, or for another tool. ${put(toolId)}.`,
  );
}

/** Credentials that changed again and again while they were renewed. */
export function unsettled(): Failure {
  return { kind: "unavailable", what: "The store of credentials" };
}

/** What came in the way of an access token. Says no word of the authorization server's own: it may echo secrets. */
export function tokenFailure(toolId: string, credential: Client, fault: TokenFault): Failure {
  switch (fault.kind) {
    case "refused":
      return required(toolId, refusal(toolId, credential, fault.error));
    case "resolver_outage":
      return { kind: "unavailable", what: "The DNS resolver" };
    case "broken": {
      const { reason, isPassing: retryable } = fault;
      const rest = { retryAfterSeconds: null, details: null };
      return { kind: "tool_failed", toolId, reason: `${reason}.`, retryable, ...rest };
    }
  }
}

/** Whether a later try may get a token with the same credentials. */
export function isPassing(failure: Failure): boolean {
  if (failure.kind === "tool_failed") return failure.retryable;
  return failure.kind === "unavailable";
}

function refusal(toolId: string, credential: Client, error: string | null): string {
  const said = error === null ? "" : ` (${error})`;
  switch (error) {
    case "invalid_grant":
      return `its authorization server does not accept the grant${said}: it was revoked, used up or has expired. ${anew(toolId, credential.type)}`;
    case "invalid_client":
    case "unauthorized_client":
      return `its authorization server does not accept the client${said}. ${put(toolId)} with the right ${clientFields(credential)}.`;
    case "invalid_scope":
    case "invalid_target":
      return `its authorization server does not grant what is asked for${said}. ${put(toolId)} with scopes, audience and resource that it grants.`;
    // How servers often answer a client that authenticates in another way than they want.
    case "invalid_request":
    case null:
      return `its authorization server refuses to give a token${said}. ${put(toolId)} that it accepts: check ${clientFields(credential)}.`;
    default:
      return `its authorization server refuses to give a token${said}. ${put(toolId)} that it accepts.`;
  }
}

/** What makes up a client, with the values between which its owner has to choose. */
function clientFields({ clientSecret, clientAuthentication }: Client): string {
  if (clientSecret === null) return "clientId, and a clientSecret if the client has one";
  const values = CLIENT_AUTHENTICATIONS.join(" or ");
  return `clientId, clientSecret and clientAuthentication (${values}, now ${clientAuthentication})`;
}

/** What gives a tool credentials again that no longer work, or that it never had (null). */
export function anew(toolId: string, type: CredentialType | null): string {
  return type === "oauth-authorization-code"
    ? `Connect it again with POST /agents/tools/${toolId}/credentials/connect.`
    : `${put(toolId)}.`;
}

function put(toolId: string): string {
  return `Put new ones with PUT /agents/tools/${toolId}/credentials`;
}

function required(toolId: string, reason: string): Failure {
  return { kind: "credentials_required", toolId, reason };
}
