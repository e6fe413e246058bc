import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { InboxCard } from "../inbox/problem-cards.tsx";
import { useStableHeight } from "../inbox/stable-height.ts";
import { Badge } from "../ui/badge.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { CallFacts } from "./call-facts.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { approvalQuery, type ApprovalSummary } from "./queries.ts";
import { APPROVAL_LABELS, APPROVAL_OUTCOMES, APPROVAL_TONES } from "./status.ts";

/**
 * A call that waits for approval, with what will be sent and the buttons that decide. After the decision, the card says
 * what became of the call and keeps its height, so that the buttons of other cards do not move.
 */
export function ApprovalCard({
  approval,
  isGone,
  isCurrent,
}: {
  readonly approval: ApprovalSummary;
  /** Whether the call has left the list of waiting calls. */
  readonly isGone: boolean;
  /** Whether the shortcuts concern this card. */
  readonly isCurrent: boolean;
}) {
  const query = useQuery(approvalQuery(approval.id));
  const [done, setDone] = useState<string | null>(null);
  const current = query.data;
  const status = current?.status ?? approval.status;
  const isOver = isGone || status !== "pending";
  const card = useStableHeight<HTMLLIElement>(isOver);

  /** Moves the focus to the card, because the form that has the focus disappears. */
  function onDone(text: string): void {
    setDone(text);
    card.current?.focus();
  }
  return (
    <InboxCard ref={card} id={approval.id} isCurrent={isCurrent}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={APPROVAL_TONES[status]}>{APPROVAL_LABELS[status]}</Badge>
        <h2 className="min-w-0 font-semibold break-words">
          <Link
            to="/approvals/$approvalId"
            params={{ approvalId: approval.id }}
            data-key="Enter"
            className="hover:text-accent hover:underline"
          >
            {approval.toolId}/{approval.capability}
          </Link>
        </h2>
      </div>
      {query.isPending && <Loading what="the call" />}
      {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {isOver && (
        <p role="status" className="text-success flex items-center gap-2">
          <CircleCheck aria-hidden className="size-4 shrink-0" />
          {done ??
            (status === "pending"
              ? "This call is no longer waiting for you."
              : APPROVAL_OUTCOMES[status])}
        </p>
      )}
      {!isOver && current !== undefined && (
        <>
          <CallFacts approval={current} />
          <DecisionForm approval={current} onDone={onDone} />
        </>
      )}
    </InboxCard>
  );
}
