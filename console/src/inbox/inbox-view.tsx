import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState, type FocusEvent } from "react";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { pendingApprovalsQuery, type ApprovalSummary } from "../approvals/queries.ts";
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
const approvalIdOf = ({ id }: ApprovalSummary): string => id;
/** Cards can be focused, so that the keys for the next and the previous card work. */
const CARD = "[data-inbox-card]";

/** Everything that is waiting for a person: calls that require approval, questions, reviews, unusable credentials, and failing or disabled webhooks. */
export function InboxView() {
  const list = useRef<HTMLUListElement>(null);
  /** The card that the keys concern. Without one, they do nothing, so that no work is approved by accident. */
  const [currentId, setCurrentId] = useState<string | null>(null);
  const mayReadTasks = useHasScope("tasks:read");
  const mayDecide = useHasScope("approvals:decide");
  const tasks = useInfiniteQuery({ ...tasksQuery(FILTERS), enabled: mayReadTasks });
  const approvals = useQuery({ ...pendingApprovalsQuery, enabled: mayDecide });
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

  const listed = tasks.data?.pages.flatMap((page) => page.tasks) ?? [];
  // The card of a call replaces that of the task that waits for it.
  const waiting = mayDecide ? listed.filter((task) => !awaitsApproval(task)) : listed;
  const live = useLiveRows("inbox", waiting, idOf, tasks);
  const liveCalls = useLiveRows("calls", approvals.data?.approvals ?? [], approvalIdOf, {
    hasNextPage: false,
    isFetching: approvals.isFetching,
  });
  const total = (tasks.data?.pages[0]?.total ?? 0) - (listed.length - waiting.length);
  const problems = (webhooks.data?.length ?? 0) + (credentials.data?.length ?? 0);
  const others = (approvals.data?.total ?? 0) + problems;
  const isEmpty = live.rows.length + liveCalls.rows.length + problems === 0;
  const isLoaded = [tasks, approvals].every(({ isLoading, data }) => !isLoading || data);
  const added = live.added + liveCalls.added;
  const gone = live.gone + liveCalls.gone;
  return (
    <>
      <ViewHeader title="Inbox" />
      {/* Always as high as the button, so that no card moves when the button appears. */}
      <div className="mb-2 flex min-h-9 items-center gap-3">
        <p role="status" className="text-muted text-sm">
          {isLoaded && `${total + others} waiting for you`}
        </p>
        <span role="status">
          {added + gone > 0 && (
            <Button
              onClick={() => {
                live.update();
                liveCalls.update();
              }}
            >
              {added > 0 ? `Show ${added} new` : "Remove finished cards"}
            </Button>
          )}
        </span>
      </div>
      {!isLoaded && <Loading what="the inbox" />}
      {[tasks, approvals, webhooks, credentials].map(
        ({ error, refetch }, index) =>
          error && <ErrorPanel key={index} error={error} retry={() => void refetch()} />,
      )}
      {isLoaded && isEmpty && !tasks.error && !approvals.error && (
        <EmptyState title="Nothing is waiting for you">
          Calls that require approval, questions from blocked tasks, work to review, tools that
          cannot authenticate, and webhooks that are failing or that the service disabled appear
          here.{" "}
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
        {liveCalls.rows.map(({ item, isGone }) => (
          <ApprovalCard
            key={item.id}
            approval={item}
            isGone={isGone}
            isCurrent={item.id === currentId}
          />
        ))}
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
  Enter: "Open the item",
};

function awaitsApproval({ waitingFor }: ListedTask): boolean {
  return waitingFor?.kind === "question" && waitingFor.question.approvalIds !== undefined;
}
