import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { curlFor } from "../api/curl.ts";
import { EVENT_LABELS } from "../events/filters.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import {
  webhookProblemsQuery,
  webhooksQuery,
  type Webhook,
  type WebhookProblem,
} from "./queries.ts";
import { NewWebhookDialog } from "./webhook-dialogs.tsx";
import { FORMAT_LABELS } from "./webhook-form.ts";
import { WebhookState } from "./webhook-state.tsx";

const CREATE_COMMAND = curlFor("POST", "/agents/webhooks", {
  url: "https://example.com/hooks/bosun",
  types: ["completed", "failed"],
});

export function WebhooksView() {
  const [isCreating, setIsCreating] = useState(false);
  const query = useQuery(webhooksQuery);
  const problems = useQuery(webhookProblemsQuery);
  const create = (): void => setIsCreating(true);
  useShortcuts([{ keys: "n", label: "Create a webhook", run: create }]);
  return (
    <>
      <ViewHeader title="Webhooks">
        <Button kind="primary" onClick={create}>
          <Plus aria-hidden className="size-4" />
          Create a webhook
        </Button>
      </ViewHeader>
      {query.isPending && <Loading what="the webhooks" />}
      {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {query.data && <WebhookList webhooks={query.data.webhooks} problems={problems.data ?? []} />}
      {isCreating && <NewWebhookDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function WebhookList({
  webhooks,
  problems,
}: {
  readonly webhooks: readonly Webhook[];
  readonly problems: readonly WebhookProblem[];
}) {
  const failures = new Map(problems.map((one) => [one.webhook.id, one.failures]));
  if (webhooks.length === 0) {
    return (
      <EmptyState title="No webhooks yet" command={CREATE_COMMAND}>
        A webhook posts task events to a URL or a chat as they occur.
      </EmptyState>
    );
  }
  return (
    <ul className="border-border bg-surface divide-border divide-y rounded-lg border">
      {webhooks.map((webhook) => (
        <li key={webhook.id} className="grid gap-1 p-3">
          <div className="flex flex-wrap items-center gap-2">
            <Link
              to="/webhooks/$webhookId"
              params={{ webhookId: webhook.id }}
              className="hover:text-accent min-w-0 font-medium break-words hover:underline"
            >
              <bdi>{webhook.description || webhook.url}</bdi>
            </Link>
            <WebhookState webhook={webhook} isFailing={failures.has(webhook.id)} />
          </div>
          <p className="text-muted flex flex-wrap gap-x-3 text-sm">
            {webhook.description !== "" && (
              <span className="min-w-0 break-all">
                <bdi>{webhook.url}</bdi>
              </span>
            )}
            <span>{FORMAT_LABELS[webhook.format]}</span>
            <span>
              {webhook.types === undefined
                ? "All event types"
                : webhook.types.map((type) => EVENT_LABELS[type]).join(", ")}
            </span>
            <span>
              Created <Time at={webhook.createdAt} />
            </span>
          </p>
          {webhook.disabled !== undefined && (
            <p className="text-danger text-sm break-words">{webhook.disabled.reason}</p>
          )}
          {webhook.enabled && failures.has(webhook.id) && (
            <p className="text-danger text-sm">
              The last {failures.get(webhook.id)} attempts failed.
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
