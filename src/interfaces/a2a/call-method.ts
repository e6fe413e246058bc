import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { validateSchema } from "../../http/validation.ts";
import { type Json, isJsonObject } from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import type { A2aCallContext } from "./call-context.ts";
import { ServiceError, invalidParams, toRequestError } from "./errors.ts";
import { METHODS } from "./methods.ts";
import { createRequestHandler } from "./request-handler.ts";

/** A JSON-RPC response of the SDK. */
export interface A2aReply {
  readonly result?: unknown;
}
export type A2aReplyStream = AsyncGenerator<A2aReply, void, undefined>;

export interface A2aMethodCall {
  readonly method: string;
  readonly params: Json;
  /** The id of the JSON-RPC request. */
  readonly id?: string | number | null | undefined;
}

/**
 * Checks the key's scopes and the parameters of a method, then calls it with the SDK. The check is necessary,
 * because the SDK converts parameters of a wrong type instead of rejecting them.
 */
export async function callMethod(
  call: A2aCallContext,
  { method, params, id }: A2aMethodCall,
): Promise<A2aReply | A2aReplyStream> {
  const { version, key } = call;
  const known = METHODS[version].get(method);
  if (known === undefined) {
    const names = [...METHODS[version].keys()].join(", ");
    const message = `There is no method ${preview(method)}; A2A ${version} has ${names}.`;
    throw new ServiceError("METHOD_NOT_FOUND", message);
  }
  const scopes = known.scopes.filter((scope) => !key.scopes.includes(scope));
  if (scopes.length > 0) throw toRequestError({ kind: "insufficient_scope", scopes });
  const checked = validateSchema(known.params, toJsonFieldNames(params));
  if (!checked.ok) throw invalidParams(checked.failure);
  const request = { jsonrpc: "2.0", id: id ?? null, method, params: checked.value };
  const context = new ServerCallContext({ requestedVersion: version });
  let thrown: unknown;
  const handler = createRequestHandler(
    { ...call, params: checked.value },
    (error) => (thrown = error),
  );
  const transport =
    version === "0.3"
      ? new LegacyJsonRpcTransportHandler(handler)
      : new JsonRpcTransportHandler(handler);
  const reply = await transport.handle(request, context);
  // The SDK sends the text of any error, but no problems and no headers.
  if ("error" in reply) throw thrown ?? new Error(JSON.stringify(reply.error));
  return reply;
}

/** Fields whose content the client defines. */
const FREE_FORM_FIELDS = new Set(["metadata", "data"]);

/**
 * ProtoJSON also accepts the original names of fields: `task_id` for `taskId`. So does A2A 0.3 here, because a message
 * whose `task_id` is ignored would start a new task. Recursive: the depth is checked.
 */
function toJsonFieldNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(toJsonFieldNames);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([given, content]) => {
      const name = toJsonFieldName(given);
      return [name, FREE_FORM_FIELDS.has(name) ? content : toJsonFieldNames(content)];
    }),
  );
}

export function toJsonFieldName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
