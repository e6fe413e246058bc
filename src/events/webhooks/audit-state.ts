import type { StoredWebhook } from "../model/webhook.ts";

/** A webhook's state in the audit log. Only the origin of its URL is included, because the rest can be a secret. */
export function stateOfWebhook(webhook: StoredWebhook) {
  const { format, url, description, types, template, headerNames } = webhook;
  const { agentId, teamId, enabled } = webhook;
  const { origin } = new URL(url);
  return { format, origin, description, types, template, headerNames, agentId, teamId, enabled };
}
