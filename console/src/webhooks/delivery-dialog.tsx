import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EVENT_LABELS } from "../events/filters.ts";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Notice } from "../ui/notice.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { describeAttempt } from "./attempts.ts";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { describeSource } from "./event-source.ts";
import { deliveryQuery, useRedeliver } from "./queries.ts";

/** One delivery with its attempts and its message. */
export function DeliveryDialog({
  webhookId,
  deliveryId,
  onClose,
}: {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
}) {
  const query = useQuery(deliveryQuery(webhookId, deliveryId));
  const redeliver = useRedeliver(webhookId);
  return (
    <Dialog title="Delivery" onClose={onClose}>
      <div className="grid gap-4">
        {query.isPending && <Loading what="the delivery" />}
        {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
        {query.data && <DeliveryDetail delivery={query.data} />}
        {redeliver.error && <ErrorPanel error={redeliver.error} />}
        {redeliver.isSuccess && <Notice>The event is being sent again.</Notice>}
        <ButtonRow>
          <Button disabled={redeliver.isPending} onClick={() => redeliver.mutate([deliveryId])}>
            {redeliver.isPending ? "Redelivering …" : "Redeliver"}
          </Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </ButtonRow>
      </div>
    </Dialog>
  );
}

function DeliveryDetail({ delivery }: { readonly delivery: Schemas["WholeDelivery"] }) {
  const { event, attempts, body } = delivery;
  const text = body === undefined ? null : JSON.stringify(body, null, 2);
  return (
    <>
      <Facts>
        <Fact name="Status">
          <DeliveryBadge status={delivery.status} />
        </Fact>
        {delivery.reason !== undefined && <Fact name="Reason">{delivery.reason}</Fact>}
        <Fact name="Event">
          {EVENT_LABELS[event.type]}, event {event.seq} of{" "}
          {event.taskId === undefined ? (
            describeSource(event, 12)
          ) : (
            <Link
              to="/tasks/$taskId"
              params={{ taskId: event.taskId }}
              className="text-accent underline"
            >
              task {event.taskId.slice(0, 12)}…
            </Link>
          )}
        </Fact>
        <Fact name="Created">
          <Time at={delivery.createdAt} />
        </Fact>
        {delivery.nextAttemptAt !== undefined && (
          <Fact name="Next attempt">
            <Time at={delivery.nextAttemptAt} />
          </Fact>
        )}
      </Facts>
      <section className="grid gap-1">
        <h3 className="font-medium">Attempts</h3>
        {attempts.length === 0 && <p className="text-muted">None yet</p>}
        <ol className="grid gap-2">
          {attempts.map((attempt) => (
            <li key={attempt.at} className="border-border border-l-2 pl-3">
              <p className="first-letter:uppercase">
                {describeAttempt(attempt)}, <Time at={attempt.at} />
              </p>
              {attempt.error !== undefined && (
                <p className="text-danger text-sm break-words">{attempt.error}</p>
              )}
              {attempt.answer !== undefined && (
                <pre className="text-muted text-sm break-all whitespace-pre-wrap">
                  {attempt.answer}
                </pre>
              )}
            </li>
          ))}
        </ol>
      </section>
      <section className="grid gap-1">
        <div className="flex items-center justify-between">
          <h3 className="font-medium">Message</h3>
          {text !== null && <CopyButton text={text} label="Copy the message" />}
        </div>
        {text === null ? (
          <p className="text-muted">
            The message cannot be rendered. The attempts show the reason.
          </p>
        ) : (
          <pre
            tabIndex={0}
            role="region"
            aria-label="Message"
            className="border-border bg-sunken max-h-80 overflow-auto rounded-md border p-2 text-sm"
          >
            {text}
          </pre>
        )}
      </section>
    </>
  );
}
