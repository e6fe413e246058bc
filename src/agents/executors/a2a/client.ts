import type { AgentCard } from "@a2a-js/sdk";
import {
  Client,
  JsonRpcTransportFactory,
  RestTransportFactory,
  TenantTransportDecorator,
} from "@a2a-js/sdk/client";
import type { Endpoint } from "./held.ts";
import type { Line } from "./line.ts";

/** The SDK's client for one agent, over its own line. */
export async function clientOf(endpoint: Endpoint, line: Line): Promise<Client> {
  const { binding, url, tenant } = endpoint;
  const card = cardOf(endpoint);
  const factory = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory }[binding];
  const transport = await new factory({ fetchImpl: line.fetch }).create(url, card);
  const tenanted = tenant === "" ? transport : new TenantTransportDecorator(transport, tenant);
  return new Client(tenanted, card, { polling: true });
}

/** The SDK asks its card for nothing but the binding and whether there are streams. */
function cardOf({ url, binding, tenant, streaming }: Endpoint): AgentCard {
  return {
    name: "",
    description: "",
    supportedInterfaces: [{ url, protocolBinding: binding, tenant, protocolVersion: "1.0" }],
    provider: undefined,
    version: "",
    capabilities: { streaming, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
}
