import { searchText } from "../layout/search-text.ts";

/** The policy whose form is open. */
export interface PoliciesSearch {
  readonly policy?: string;
}

export function readPoliciesSearch(search: Record<string, unknown>): PoliciesSearch {
  const policy = searchText(search["policy"]);
  return policy === undefined ? {} : { policy };
}
