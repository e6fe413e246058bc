import * as z from "zod";
import type { Route } from "./route.ts";

const params = z.looseObject({});

/** A request of JSON-RPC 2.0. */
const rpcRequest = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().min(1),
  params: params.optional(),
});

/**
 * The ways in that speak another protocol. They judge methods, keys and bodies in that protocol's own
 * words, so they are no endpoints from which the rest could be taken.
 */
export const DOORS: readonly Route[] = [
  { method: "POST", path: "/mcp", inputs: { body: rpcRequest } },
  { method: "POST", path: "/a2a", inputs: { body: rpcRequest } },
  { method: "GET", path: "/.well-known/agent-card.json", inputs: {} },
];
