import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState, type FocusEvent } from "react";
import { pressControl, useShortcuts } from "../layout/shortcuts.ts";
import { useHasScope } from "../session/identity.ts";
import { tasksQuery, type ListedTask } from "../tasks/queries.ts";
import { useLiveRows } from "../tasks/use-live-rows.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { webhookProblemsQuery } from "../webhooks/queries.ts";
import { unusableCredentialsQuery } from "./queries.ts";
import { TaskCard } from "./task-card.tsx";
import { CredentialsCard, WebhookCard } from "./problem-cards.tsx";

const FILTERS = { status: "blocked,review" };
const idOf = ({ taskId }: ListedTask): string => taskId;
/** Cards can be focused, so that the keys for the next and the previous card work. */
const CARD = "[data-inbox-card]";

/** Everything that is waiting for a person: questions, reviews, unusable credentials, and failing or disabled webhooks. */
export function InboxView() {
  const list = useRef<HTMLUListElement>(null);
  /** The card that the keys concern. Without one, they do nothing, so that no work is approved by accident. */
  const [currentId, setCurrentId] = useState<string | null>(null);
  const tasks = useInfiniteQuery(tasksQuery(FILTERS));
  const mayManageWebhooks = useHasScope("webhooks:manage");
  const mayManageTools = useHasScope("tools:manage");
  const webhooks = useQuery({ ...webhookProblemsQuery, enabled: mayManageWebhooks });
  const credentials = useQuery({ ...unusableCredentialsQuery, enabled: mayManageTools });

  const listCards = () => [...(list.current?.querySelectorAll<HTMLElement>(CARD) ?? [])];
  const findCurrent = () =>
    listCards().findIndex((card) => card.dataset["inboxCard"] === currentId);

  function focusCard(step: 1 | -1): void {
    const cards = listCards();
    const current = findCurrent();
    const next = current === -1 ? 0 : Math.min(Math.max(current + step, 0), cards.length - 1);
    cards[next]?.focus();
  }
  useShortcuts([
    { keys: "j", label: "Next item", run: () => focusCard(1) },
    { keys: "k", label: "Previous item", run: () => focusCard(-1) },
    ...["a", "d", "r", "Enter"].map((keys) => ({
      keys,
      label: CARD_KEYS[keys] ?? "",
      run: () => pressControl(listCards()[findCurrent()], keys),
    })),
  ]);

  const waiting = tasks.data?.pages.flatMap((page) => page.tasks) ?? [];
  const live = useLiveRows("inbox", waiting, idOf, tasks);
  const total = tasks.data?.pages[0]?.total ?? 0;
  const problems = (webhooks.data?.length ?? 0) + (credentials.data?.length ?? 0);
  const isEmpty = live.rows.length === 0 && problems === 0;
  return (
    <>
      <ViewHeader title="Inbox" />
      {/* Always as high as the button, so that no card moves when the button appears. */}
      <div className="mb-2 flex min-h-9 items-center gap-3">
        <p role="status" className="text-muted text-sm">
          {tasks.data !== undefined && `${total + problems} waiting for you`}
        </p>
        <span role="status">
          {live.added + live.gone > 0 && (
            <Button onClick={live.update}>
              {live.added > 0 ? `Show ${live.added} new` : "Remove finished cards"}
            </Button>
          )}
        </span>
      </div>
      {tasks.isPending && <Loading what="the inbox" />}
      {[tasks, webhooks, credentials].map(
        ({ error, refetch }, index) =>
          error && <ErrorPanel key={index} error={error} retry={() => void refetch()} />,
      )}
      {tasks.data !== undefined && isEmpty && (
        <EmptyState title="Nothing is waiting for you">
          Questions from blocked tasks, work to review, tools that cannot authenticate, and webhooks
          that are failing or that the service disabled appear here.{" "}
          <Link to="/tasks" className="text-accent underline">
            Show all tasks
          </Link>
        </EmptyState>
      )}
      <ul
        ref={list}
        aria-label="Waiting for you"
        className="grid max-w-4xl gap-3"
        onFocus={({ target }: FocusEvent<HTMLElement>) =>
          setCurrentId(target.closest<HTMLElement>(CARD)?.dataset["inboxCard"] ?? null)
        }
      >
        {live.rows.map(({ item, isGone }) => (
          <TaskCard
            key={item.taskId}
            task={item}
            isGone={isGone}
            isCurrent={item.taskId === currentId}
          />
        ))}
        {credentials.data?.map((one) => (
          <CredentialsCard key={one.toolId} problem={one} isCurrent={one.toolId === currentId} />
        ))}
        {webhooks.data?.map((problem) => (
          <WebhookCard
            key={problem.webhook.id}
            problem={problem}
            isCurrent={problem.webhook.id === currentId}
          />
        ))}
      </ul>
      {tasks.hasNextPage && (
        <Button
          className="mt-3"
          disabled={tasks.isFetchingNextPage}
          onClick={() => void tasks.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}

const CARD_KEYS: Readonly<Record<string, string>> = {
  a: "Approve",
  d: "Request changes or deny",
  r: "Write an answer or a comment",
  Enter: "Open the task",
};
