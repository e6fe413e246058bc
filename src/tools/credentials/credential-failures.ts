import {
  CLIENT_AUTHENTICATIONS,
  type CredentialType,
  type OauthCredential,
} from "../model/credential.ts";
import { createConflictFailure, type Failure } from "../../kernel/failure.ts";
import type { TokenFailure } from "./oauth-token.ts";
import type { ToolAuthentication } from "../model/tool.ts";

type OauthClientFields = Pick<OauthCredential, "type" | "clientSecret" | "clientAuthentication">;

/** The failure for a tool that lacks the credentials it needs. */
export function createMissingCredentialFailure(
  id: string,
  type: ToolAuthentication["type"],
): Failure {
  const example =
    type === "oauth"
      ? '{"type": "oauth-client-credentials", "tokenUrl": …, "clientId": …, "clientSecret": …}, or use type oauth-refresh-token or oauth-authorization-code'
      : '{"type": "api-key", "value": …}';
  return createRequiredFailure(id, `it has no credentials. ${formatPutAdvice(id)} and ${example}.`);
}

/** The failure for OAuth credentials whose grant is missing, expired or revoked. */
export function createUnconnectedFailure(toolId: string, { type }: OauthCredential): Failure {
  return createRequiredFailure(
    toolId,
    `its grant is missing, expired or revoked. ${formatRenewalAdvice(toolId, type)}`,
  );
}

export function createUnreadableCredentialFailure(toolId: string): Failure {
  return createRequiredFailure(
    toolId,
    `its credentials were sealed with a key that CREDENTIALS_KEY no longer contains, or for another tool. ${formatPutAdvice(toolId)}.`,
  );
}

/** The failure if the credentials changed during each attempt to renew or connect them. */
export const UNSETTLED_FAILURE = createConflictFailure("The tool's credential");

/**
 * The failure if no access token was issued. It contains no text from the authorization server except known error
 * codes, because other text might echo secrets.
 */
export function createTokenFailure(
  toolId: string,
  credential: OauthClientFields,
  failure: TokenFailure,
): Failure {
  switch (failure.kind) {
    case "rejected":
      return createRequiredFailure(toolId, formatRejection(toolId, credential, failure.error));
    case "resolver_outage":
      return { kind: "unavailable", what: "The DNS resolver" };
    case "upstream": {
      const { reason, isTransient: retryable } = failure;
      const rest = { retryAfterSeconds: null, details: null };
      return { kind: "tool_failed", toolId, reason: `${reason}.`, retryable, ...rest };
    }
  }
}

/** Whether a later attempt can succeed with the same credentials. */
export function isTransientCredentialFailure(failure: Failure): boolean {
  if (failure.kind === "tool_failed") return failure.retryable;
  return failure.kind === "unavailable";
}

function formatRejection(
  toolId: string,
  credential: OauthClientFields,
  error: string | null,
): string {
  const code = error === null ? "" : ` (${error})`;
  switch (error) {
    case "invalid_grant":
      return `its authorization server does not accept the grant${code}. The grant was revoked, was already used or has expired. ${formatRenewalAdvice(toolId, credential.type)}`;
    case "invalid_client":
    case "unauthorized_client":
      return `its authorization server does not accept the client${code}. ${formatPutAdvice(toolId)} with the correct ${formatClientFields(credential)}.`;
    case "invalid_scope":
    case "invalid_target":
      return `its authorization server does not grant the requested access${code}. ${formatPutAdvice(toolId)} with scopes, an audience and a resource that the server allows.`;
    // Many servers respond this way to the wrong kind of client authentication.
    case "invalid_request":
    case null:
      return `its authorization server refuses to issue a token${code}. Check ${formatClientFields(credential)}. ${formatPutAdvice(toolId)}.`;
    default:
      return `its authorization server refuses to issue a token${code}. ${formatPutAdvice(toolId)}.`;
  }
}

/** The client's fields, with the possible values of `clientAuthentication`. */
function formatClientFields({ clientSecret, clientAuthentication }: OauthClientFields): string {
  if (clientSecret === null) return "clientId, and a clientSecret if the client has one";
  const values = CLIENT_AUTHENTICATIONS.join(" or ");
  return `clientId, clientSecret and clientAuthentication (${values}, currently ${clientAuthentication})`;
}

/** How to replace credentials that do not work, or that are missing (`type` is null). */
export function formatRenewalAdvice(toolId: string, type: CredentialType | null): string {
  return type === "oauth-authorization-code"
    ? `Connect the tool again with POST /agents/tools/${toolId}/credentials/connect.`
    : `${formatPutAdvice(toolId)}.`;
}

function formatPutAdvice(toolId: string): string {
  return `Set credentials with PUT /agents/tools/${toolId}/credentials`;
}

function createRequiredFailure(toolId: string, reason: string): Failure {
  return { kind: "credentials_required", toolId, reason };
}
