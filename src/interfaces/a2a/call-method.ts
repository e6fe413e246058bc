import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { validateSchema } from "../../http/validation.ts";
import { type Json, isJsonObject } from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import type { A2aCallContext } from "./call-context.ts";
import { ServiceError, invalidParams, toRequestError } from "./errors.ts";
import { METHODS } from "./methods.ts";
import { createRequestHandler } from "./request-handler.ts";

/** A JSON-RPC response from the SDK. */
export interface A2aReply {
  readonly result?: unknown;
}
export type A2aReplyStream = AsyncGenerator<A2aReply, void, undefined>;

export interface A2aMethodCall {
  readonly method: string;
  readonly params: Json;
  /** The JSON-RPC request id. */
  readonly id?: string | number | null | undefined;
}

/**
 * Checks the key's scopes, validates the method's parameters, and then calls the method through the SDK. The SDK does
 * not reject parameters of the wrong type, but converts them.
 */
export async function callMethod(
  call: A2aCallContext,
  { method, params, id }: A2aMethodCall,
): Promise<A2aReply | A2aReplyStream> {
  const { version, key } = call;
  const known = METHODS[version].get(method);
  if (known === undefined) {
    const names = [...METHODS[version].keys()].join(", ");
    const message = `Unknown method ${preview(method)}. A2A ${version} methods: ${names}.`;
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
  // The SDK's response contains only the error's message, not its problems or headers.
  if ("error" in reply) throw thrown ?? new Error(JSON.stringify(reply.error));
  return reply;
}

/** Fields whose content the client defines. */
const FREE_FORM_FIELDS = new Set(["metadata", "data"]);

/**
 * ProtoJSON also accepts original field names, such as `task_id` for `taskId`. They are accepted in A2A 0.3 too,
 * because ignoring `task_id` would start a new task. Recursion is safe, because the body's depth has been checked.
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
