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
        // A service on this machine responds even if the browser is offline. If there is no response, the view shows an error.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: STALE_MS,
        retry: (failures, error) => failures < RETRIES_MAX && isTemporary(error),
      },
      // Without a connection, an action fails. It is not carried out later, when the person no longer expects it.
      mutations: { networkMode: "always", retry: false },
    },
  });
}

function isTemporary(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
