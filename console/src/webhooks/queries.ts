import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import { limitConcurrency } from "../api/limit-concurrency.ts";
import type { DeliveryStatus } from "./search.ts";

export type Webhook = Schemas["Webhook"];
export type WebhookDetail = Schemas["WebhookDetail"];
export type Delivery = Schemas["Delivery"];

/** All webhooks fit on one page. */
const WEBHOOKS_MAX = 100;
const PAGE_SIZE = 50;
/** The service retries failed attempts, so fewer failures in a row are not shown as a problem. */
const FAILURES_MIN = 3;
const CONCURRENT_REQUESTS_MAX = 4;
/** Failed deliveries cause no events, so the problems are fetched again at this interval. */
const PROBLEMS_REFRESH_MS = 60_000;
/** How often the log is fetched again while a delivery is pending. */
const PENDING_REFRESH_MS = 2_000;
/** How often the log is fetched again otherwise, because new deliveries are not announced. */
const REFRESH_MS = 20_000;

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: () =>
    dataOf(api.GET("/agents/webhooks", { params: { query: { limit: WEBHOOKS_MAX } } })),
});

const inTurn = limitConcurrency(CONCURRENT_REQUESTS_MAX);

/** A failing or disabled webhook. `failures`: failed attempts in a row; null if the service disabled the webhook. */
export interface WebhookProblem {
  readonly webhook: Webhook;
  readonly failures: number | null;
}

/** The webhooks that the service disabled, and those whose last attempts all failed. */
export const webhookProblemsQuery = queryOptions({
  queryKey: ["webhooks", "problems"],
  queryFn: async (): Promise<readonly WebhookProblem[]> => {
    const query = { limit: WEBHOOKS_MAX };
    const { webhooks } = await dataOf(api.GET("/agents/webhooks", { params: { query } }));
    const problems = await Promise.all(webhooks.map(findProblem));
    return problems.filter((problem) => problem !== null);
  },
  refetchInterval: PROBLEMS_REFRESH_MS,
});

async function findProblem(webhook: Webhook): Promise<WebhookProblem | null> {
  if (webhook.disabled !== undefined) return { webhook, failures: null };
  if (!webhook.enabled) return null;
  const params = { path: { id: webhook.id } };
  const { deliveries } = await inTurn(() => dataOf(api.GET("/agents/webhooks/{id}", { params })));
  return isFailing(deliveries) ? { webhook, failures: deliveries.consecutiveFailures } : null;
}

/** Whether the last attempts all failed. */
export function isFailing({ consecutiveFailures }: WebhookDetail["deliveries"]): boolean {
  return consecutiveFailures >= FAILURES_MIN;
}

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ["webhook", id],
    queryFn: () => dataOf(api.GET("/agents/webhooks/{id}", { params: { path: { id } } })),
  });
}

export function deliveriesQuery(id: string, status: DeliveryStatus | undefined) {
  return infiniteQueryOptions({
    queryKey: ["webhook", id, "deliveries", status],
    queryFn: ({ pageParam }) => {
      const query = {
        ...(status !== undefined && { status }),
        ...(pageParam !== null && { cursor: pageParam }),
        limit: PAGE_SIZE,
      };
      const params = { path: { id }, query };
      return dataOf(api.GET("/agents/webhooks/{id}/deliveries", { params }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      const isPending = pages[0]?.deliveries.some((one) => one.status === "pending") ?? false;
      return pages.length === 1 && (isPending ? PENDING_REFRESH_MS : REFRESH_MS);
    },
  });
}

export function deliveryQuery(id: string, deliveryId: string) {
  return queryOptions({
    queryKey: ["webhook", id, "delivery", deliveryId],
    queryFn: () => {
      const params = { path: { id, deliveryId } };
      return dataOf(api.GET("/agents/webhooks/{id}/deliveries/{deliveryId}", { params }));
    },
    refetchInterval: ({ state }) => state.data?.status === "pending" && PENDING_REFRESH_MS,
  });
}

function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [["webhooks"], ["webhook"]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
}

export function useCreateWebhook() {
  return useMutation({
    mutationFn: (body: Schemas["CreateWebhookBody"]) =>
      dataOf(api.POST("/agents/webhooks", { body })),
    // The response contains the secret, which is not kept after the dialog closes.
    gcTime: 0,
    onSuccess: useRefresh(),
  });
}

export function useChangeWebhook(id: string) {
  return useMutation({
    mutationFn: (body: Schemas["UpdateWebhookBody"]) =>
      dataOf(api.PATCH("/agents/webhooks/{id}", { params: { path: { id } }, body })),
    onSuccess: useRefresh(),
  });
}

export function useDeleteWebhook(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.DELETE("/agents/webhooks/{id}", { params: { path: { id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["webhooks"] }),
  });
}

export function useRotateSecret(id: string) {
  return useMutation({
    mutationFn: () =>
      dataOf(api.POST("/agents/webhooks/{id}/secret", { params: { path: { id } } })),
    gcTime: 0,
  });
}

export function useTestWebhook(id: string) {
  return useMutation({
    mutationFn: () => dataOf(api.POST("/agents/webhooks/{id}/test", { params: { path: { id } } })),
  });
}

/**
 * Starts new attempts for deliveries, one after the other to spare the service, and stops at the first error.
 * `onRedelivered` receives each delivery whose attempts have started.
 */
export function useRedeliver(id: string, onRedelivered?: (deliveryId: string) => void) {
  return useMutation({
    mutationFn: async (deliveryIds: readonly string[]) => {
      for (const deliveryId of deliveryIds) {
        const params = { path: { id, deliveryId } };
        await dataOf(
          api.POST("/agents/webhooks/{id}/deliveries/{deliveryId}/redeliver", { params }),
        );
        onRedelivered?.(deliveryId);
      }
      return deliveryIds.length;
    },
    onSettled: useRefresh(),
  });
}
