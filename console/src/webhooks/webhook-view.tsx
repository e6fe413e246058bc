import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EVENT_LABELS } from "../events/filters.ts";
import { count } from "../tools/words.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Card, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { formatExactTime } from "../ui/relative-time.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import {
  isFailing,
  useChangeWebhook,
  useDeleteWebhook,
  useTestWebhook,
  webhookQuery,
  type WebhookDetail,
} from "./queries.ts";
import { TestResult } from "./test-result.tsx";
import { EditWebhookDialog, RotateSecretDialog } from "./webhook-dialogs.tsx";
import { FORMAT_LABELS } from "./webhook-form.ts";
import { WebhookState } from "./webhook-state.tsx";

export function WebhookView() {
  const { webhookId } = useParams({ from: "/shell/webhooks/$webhookId" });
  const query = useQuery(webhookQuery(webhookId));
  if (query.data !== undefined) return <LoadedWebhook key={webhookId} webhook={query.data} />;
  return (
    <>
      <ViewHeader title="Webhook" />
      {query.isPending ? (
        <Loading what="the webhook" />
      ) : (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
    </>
  );
}

function LoadedWebhook({ webhook }: { readonly webhook: WebhookDetail }) {
  const [open, setOpen] = useState<"edit" | "rotate" | "disable" | "delete" | null>(null);
  const { status, delivery } = useSearch({ from: "/shell/webhooks/$webhookId" });
  const navigate = useNavigate();
  const change = useChangeWebhook(webhook.id);
  const remove = useDeleteWebhook(webhook.id);
  const test = useTestWebhook(webhook.id);
  const close = (): void => setOpen(null);
  const params = { webhookId: webhook.id };
  const pending = count(webhook.deliveries.pending, "pending delivery", "pending deliveries");
  return (
    <>
      <ViewHeader title={webhook.description || webhook.url}>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Sending …" : "Send a test"}
        </Button>
        <Button onClick={() => setOpen("edit")}>Edit</Button>
        <Button onClick={() => setOpen("rotate")}>Rotate the secret</Button>
        {webhook.enabled ? (
          <Button onClick={() => setOpen("disable")}>Disable</Button>
        ) : (
          <Button
            kind="primary"
            disabled={change.isPending}
            onClick={() => change.mutate({ enabled: true })}
          >
            Enable
          </Button>
        )}
        <Button kind="danger" onClick={() => setOpen("delete")}>
          Delete
        </Button>
      </ViewHeader>
      <div className="grid gap-4">
        {change.error && open === null && <ErrorPanel error={change.error} />}
        <TestResult test={test} />
        <Card
          title="Webhook"
          actions={<WebhookState webhook={webhook} isFailing={isFailing(webhook.deliveries)} />}
        >
          <WebhookFacts webhook={webhook} />
        </Card>
        <DeliveryList webhook={webhook} status={status} />
      </div>
      {delivery !== undefined && (
        <DeliveryDialog
          webhookId={webhook.id}
          deliveryId={delivery}
          onClose={() =>
            void navigate({
              to: "/webhooks/$webhookId",
              params,
              search: status === undefined ? {} : { status },
            })
          }
        />
      )}
      {open === "edit" && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {open === "rotate" && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {open === "disable" && (
        <ConfirmDialog
          title="Disable the webhook?"
          confirm="Disable"
          mutation={change}
          onConfirm={() => change.mutate({ enabled: false }, { onSuccess: close })}
          onClose={close}
        >
          <p>
            {pending} will fail. Events that occur while the webhook is disabled will not be
            delivered; read them from the feed.
          </p>
        </ConfirmDialog>
      )}
      {open === "delete" && (
        <ConfirmDialog
          title="Delete the webhook?"
          confirm="Delete"
          mutation={remove}
          onConfirm={() =>
            remove.mutate(undefined, { onSuccess: () => void navigate({ to: "/webhooks" }) })
          }
          onClose={close}
        >
          <p>
            This deletes <bdi className="font-medium break-all">{webhook.url}</bdi> with its secret,{" "}
            {pending} and its delivery log.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function WebhookFacts({ webhook }: { readonly webhook: WebhookDetail }) {
  const { deliveries, disabled } = webhook;
  return (
    <Facts>
      {disabled !== undefined && (
        <Fact name="Disabled">
          <span className="text-danger">{disabled.reason}</span> (<Time at={disabled.at} />)
        </Fact>
      )}
      <Fact name="URL">
        <bdi className="break-all">{webhook.url}</bdi>
      </Fact>
      <Fact name="Format">
        {FORMAT_LABELS[webhook.format]}
        {webhook.template !== undefined && " with a template"}
      </Fact>
      <Fact name="Events">
        {webhook.types?.map((type) => EVENT_LABELS[type]).join(", ") ?? "All event types"}
      </Fact>
      {webhook.agentId !== undefined && (
        <Fact name="Only this agent's tasks">
          <Link
            to="/agents/$agentId"
            params={{ agentId: webhook.agentId }}
            className="text-accent underline"
          >
            {webhook.agentId}
          </Link>
        </Fact>
      )}
      {webhook.teamId !== undefined && <Fact name="Only this team's tasks">{webhook.teamId}</Fact>}
      {webhook.headerNames !== undefined && (
        <Fact name="Headers">{webhook.headerNames.join(", ")}</Fact>
      )}
      <Fact name="Owner">
        <code>{webhook.createdBy}</code>, created <Time at={webhook.createdAt} />
      </Fact>
      <Fact name="Last success">
        {deliveries.lastSuccessAt === undefined ? "None" : <Time at={deliveries.lastSuccessAt} />}
      </Fact>
      <Fact name="Pending deliveries">{deliveries.pending}</Fact>
      <Fact name="Failed attempts since the last success">{deliveries.consecutiveFailures}</Fact>
      {deliveries.missed !== undefined && (
        <Fact name="Missed">
          <span className="text-danger">
            Events after {formatExactTime(deliveries.missed.after)}, up to{" "}
            {formatExactTime(deliveries.missed.upTo)}, will not be delivered, because the feed
            dropped them before the webhook read them.
          </span>
        </Fact>
      )}
    </Facts>
  );
}
