import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

const RETRIES_MAX = 2;
/** Live events refetch what has changed, so data stays fresh without polling. */
const STALE_MS = 30_000;

/** Creates the cache of responses. Requests are repeated only if the same request may succeed later. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) => failures < RETRIES_MAX && isTemporary(error),
      },
      mutations: { retry: false },
    },
  });
}

function isTemporary(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
