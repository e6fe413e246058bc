import type { capabilities, tools } from "../db/schema.ts";
import type { Capability } from "../domain/capability.ts";
import type { RegisteredTool, StoredCapability } from "../domain/tool.ts";

/** A tool as its row holds it. */
export function toolIn(row: typeof tools.$inferSelect): RegisteredTool {
  return {
    id: row.id,
    name: row.name,
    category: row.category,
    description: row.description,
    documentation: row.documentation,
    authentication: { type: row.authType, scopes: row.authScopes },
    rateLimit: { requests: row.rateRequests, period: row.ratePeriod },
    pricing: { model: "usage", free: row.priceFree, overage: row.priceOverage },
    connector: row.connector,
    source: row.source,
    version: row.version,
    createdBy: row.createdBy,
  };
}

export function toolRow(tool: RegisteredTool): Omit<typeof tools.$inferInsert, "seq"> {
  const { authentication, rateLimit, pricing, ...same } = tool;
  return {
    ...same,
    authType: authentication.type,
    authScopes: [...authentication.scopes],
    rateRequests: rateLimit.requests,
    ratePeriod: rateLimit.period,
    priceFree: pricing.free,
    priceOverage: pricing.overage,
  };
}

export function capabilityIn(row: typeof capabilities.$inferSelect): StoredCapability {
  return { ...shownCapability(row), operation: row.operation };
}

/** A capability without what carries it out. */
export function shownCapability(row: Capability): Capability {
  const { id, name, description, parameters } = row;
  return { id, name, description, parameters };
}
