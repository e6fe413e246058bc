import { Link } from "@tanstack/react-router";
import { PlugZap, Webhook } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Time } from "../ui/time.tsx";
import type { WebhookProblem } from "../webhooks/queries.ts";
import type { CredentialProblem } from "./queries.ts";

/**
 * A card of the inbox. While it is the current card, the view's shortcuts press its controls with `data-key`. `id`: of
 * the task, tool or webhook.
 */
export function InboxCard({
  id,
  isCurrent,
  children,
  ref,
}: {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLLIElement>;
}) {
  return (
    <li
      ref={ref}
      data-inbox-card={id}
      aria-current={isCurrent || undefined}
      tabIndex={-1}
      className="border-border bg-surface aria-[current]:outline-accent aria-[current]:outline-2 focus:outline-accent grid min-w-0 content-start grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border p-4 focus:outline-2"
    >
      {children}
    </li>
  );
}

export function CredentialsCard({
  problem,
  isCurrent,
}: {
  readonly problem: CredentialProblem;
  readonly isCurrent: boolean;
}) {
  return (
    <InboxCard id={problem.toolId} isCurrent={isCurrent}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="danger" icon={<PlugZap aria-hidden />}>
          Credentials
        </Badge>
        <h2 className="min-w-0 font-semibold break-words">
          <bdi>{problem.toolName}</bdi> cannot authenticate
        </h2>
      </div>
      <p>{problem.problem} Calls to this tool fail.</p>
      <div>
        <Link
          to="/tools/$toolId"
          params={{ toolId: problem.toolId }}
          data-key="Enter"
          className={buttonClass()}
        >
          Open the tool
        </Link>
      </div>
    </InboxCard>
  );
}

export function WebhookCard({
  problem: { webhook, failures },
  isCurrent,
}: {
  readonly problem: WebhookProblem;
  readonly isCurrent: boolean;
}) {
  return (
    <InboxCard id={webhook.id} isCurrent={isCurrent}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="danger" icon={<Webhook aria-hidden />}>
          Webhook
        </Badge>
        <h2 className="min-w-0 font-semibold break-words">
          <bdi>{webhook.description === "" ? webhook.url : webhook.description}</bdi>{" "}
          {failures === null ? "is disabled" : "is failing"}
        </h2>
        {webhook.disabled !== undefined && (
          <span className="text-muted ml-auto text-sm">
            <Time at={webhook.disabled.at} />
          </span>
        )}
      </div>
      <p className="break-words">
        {webhook.disabled?.reason ??
          `The last ${failures} attempts to deliver events to ${webhook.url} failed.`}
      </p>
      <div>
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: webhook.id }}
          data-key="Enter"
          className={buttonClass()}
        >
          Open the webhook
        </Link>
      </div>
    </InboxCard>
  );
}
