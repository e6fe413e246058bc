import type { Parameter } from "./capability.ts";
import type { CapabilityOperation, Connector } from "./connector.ts";

/** The position of a capability in the catalogue: its tool's `seq`, and its position within the tool. */
export interface CataloguePosition {
  readonly seq: number;
  readonly position: number;
}

/** A capability that an agent may use, with everything that its caller needs to know. */
export interface GrantedCapability {
  readonly toolId: string;
  readonly toolName: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly connector: Connector["type"];
  /** Null for a built-in tool. */
  readonly operation: CapabilityOperation | null;
}
