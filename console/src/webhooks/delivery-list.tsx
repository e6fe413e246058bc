import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { EVENT_LABELS } from "../events/filters.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { describeAttempts } from "./attempts.ts";
import { DELIVERY_LABELS, DeliveryBadge } from "./delivery-badge.tsx";
import { describeSource } from "./event-source.ts";
import { deliveriesQuery, useRedeliver, type Delivery, type Webhook } from "./queries.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "./search.ts";

const ROW_HEIGHT = 64;

/** The delivery log of a webhook. Selected deliveries can be sent again. */
export function DeliveryList({
  webhook,
  status,
}: {
  readonly webhook: Webhook;
  readonly status: DeliveryStatus | undefined;
}) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isConfirming, setIsConfirming] = useState(false);
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, status));
  // A retry after an error sends only what remains selected.
  const redeliver = useRedeliver(webhook.id, (id) =>
    setSelected((current) => new Set([...current].filter((one) => one !== id))),
  );
  const navigate = useNavigate();
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  // A delivery that the filter hides is not selected.
  const chosen = deliveries.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  // Those already sent leave the selection one by one.
  const toSend = redeliver.isPending ? redeliver.variables.length : chosen.length;
  const isAllChosen = deliveries.length > 0 && chosen.length === deliveries.length;

  function toggle(id: string): void {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  }

  return (
    <section className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-lg font-semibold">Deliveries</h2>
        <select
          aria-label="Status"
          className="border-border-strong bg-surface min-h-8 rounded-md border px-2"
          value={status ?? ""}
          onChange={({ target }) => {
            const next = DELIVERY_STATUSES.find((one) => one === target.value);
            void navigate({
              to: "/webhooks/$webhookId",
              params: { webhookId: webhook.id },
              search: next === undefined ? {} : { status: next },
            });
          }}
        >
          <option value="">Any status</option>
          {DELIVERY_STATUSES.map((one) => (
            <option key={one} value={one}>
              {DELIVERY_LABELS[one]}
            </option>
          ))}
        </select>
        <label className="ml-auto flex min-h-8 items-center gap-2">
          <input
            type="checkbox"
            className="accent-accent size-4"
            checked={isAllChosen}
            onChange={() => setSelected(new Set(isAllChosen ? [] : deliveries.map(({ id }) => id)))}
          />
          Select all {deliveries.length} loaded
        </label>
        <Button disabled={chosen.length === 0} onClick={() => setIsConfirming(true)}>
          Redeliver {chosen.length > 0 && chosen.length}
        </Button>
      </div>
      {redeliver.isSuccess && (
        <Notice>
          {redeliver.data === 1 ? "1 delivery is" : `${redeliver.data} deliveries are`} pending
          again.
        </Notice>
      )}
      {query.isPending && <Loading what="the deliveries" />}
      {query.error && query.data === undefined && (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isSuccess && deliveries.length === 0 && (
        <EmptyState
          title={status === undefined ? "No deliveries yet" : "No deliveries match the filter"}
        >
          Deliveries appear when an event matches the webhook, and are kept for 30 days.
        </EmptyState>
      )}
      {deliveries.length > 0 && (
        <VirtualList
          label="Deliveries, newest first"
          items={deliveries}
          keyOf={({ id }) => id}
          estimatedHeight={ROW_HEIGHT}
          pages={query}
        >
          {(delivery) => (
            <DeliveryRow
              webhookId={webhook.id}
              delivery={delivery}
              status={status}
              isSelected={selected.has(delivery.id)}
              onToggle={() => toggle(delivery.id)}
            />
          )}
        </VirtualList>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={`Redeliver ${toSend === 1 ? "1 event" : `${toSend} events`}?`}
          confirm="Redeliver"
          mutation={redeliver}
          onConfirm={() => redeliver.mutate(chosen, { onSuccess: () => setIsConfirming(false) })}
          onClose={() => setIsConfirming(false)}
        >
          <p>
            Each event is sent again, with up to ten attempts. The receiver can recognise it by its{" "}
            <code>webhook-id</code>, which stays the same.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function DeliveryRow({
  webhookId,
  delivery,
  status,
  isSelected,
  onToggle,
}: {
  readonly webhookId: string;
  readonly delivery: Delivery;
  readonly status: DeliveryStatus | undefined;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}) {
  const { id, event, attempts, nextAttemptAt } = delivery;
  const name = `${EVENT_LABELS[event.type]}: ${describeSource(event, 8)}`;
  return (
    <div className="flex items-start gap-3 p-3">
      <label className="size-target grid shrink-0 place-items-center">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          className="accent-accent size-4"
          checked={isSelected}
          onChange={onToggle}
        />
      </label>
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <DeliveryBadge status={delivery.status} />
          <Link
            to="/webhooks/$webhookId"
            params={{ webhookId }}
            search={{ ...(status !== undefined && { status }), delivery: id }}
            className="hover:text-accent min-w-0 font-medium hover:underline"
          >
            {name}
          </Link>
          <span className="text-muted text-sm">
            <Time at={delivery.createdAt} />
          </span>
        </div>
        <p className="text-muted text-sm break-words">
          {describeAttempts(attempts)}
          {nextAttemptAt !== undefined && (
            <>
              , next <Time at={nextAttemptAt} />
            </>
          )}
          {delivery.reason !== undefined && `. ${delivery.reason}`}
        </p>
        {delivery.status !== "delivered" && attempts.at(-1)?.error !== undefined && (
          <p className="text-danger text-sm break-words">{attempts.at(-1)?.error}</p>
        )}
      </div>
    </div>
  );
}
