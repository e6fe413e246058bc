import { infiniteQueryOptions, useMutation } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import type { AuditSearch } from "./search.ts";

export type AuditRow = Schemas["AuditRow"];
type Verification = Schemas["AuditVerification"];

const PAGE_SIZE = 50;

/** The matching rows, newest first. */
export function auditQuery(search: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ["audit", search],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const query = { ...search, ...cursor, limit: PAGE_SIZE };
      return dataOf(api.GET("/agents/audit", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Other people and programs also add rows, so the loaded rows are never up to date.
    staleTime: 0,
  });
}

/** Verifies the whole log, which takes several requests if it is long. */
export function useVerifyLog() {
  return useMutation({
    mutationFn: async (): Promise<Verification> => {
      let rows = 0;
      for (let since: { seq: number; hash: string } | undefined; ;) {
        const body = since === undefined ? {} : { since };
        const part = await dataOf(api.POST("/agents/audit/verify", { body }));
        rows += part.rows;
        if (part.complete || !part.valid) return { ...part, rows };
        since = { seq: part.lastSeq, hash: part.lastHash };
      }
    },
  });
}
