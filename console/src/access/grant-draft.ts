import type { Schemas } from "../api/client.ts";

/** What a person chose in the form of a grant. */
export interface GrantDraft {
  /** Whether the grant covers all capabilities, including those added later. */
  readonly isAll: boolean;
  /** The capabilities of a grant that does not cover all. */
  readonly chosen: ReadonlySet<string>;
  readonly proficiency: Schemas["AccessGrant"]["proficiency"];
}

/** The form of a stored grant, or of a new one. */
export function grantDraftOf(granted: Schemas["AccessGrant"] | null): GrantDraft {
  return {
    isAll: granted === null || granted.allCapabilities,
    chosen: new Set(granted?.capabilities),
    proficiency: granted?.proficiency ?? "intermediate",
  };
}

/** The request that stores the grant. It replaces an earlier grant, so it always says which capabilities to cover. */
export function grantBody({ isAll, chosen, proficiency }: GrantDraft) {
  return { proficiency, ...(!isAll && { capabilities: [...chosen] }) };
}
