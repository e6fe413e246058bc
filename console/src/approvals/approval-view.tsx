import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useRef } from "react";
import { curlFor } from "../api/curl.ts";
import { pressControl, useShortcuts } from "../layout/shortcuts.ts";
import { useHasScope } from "../session/identity.ts";
import { formatCost } from "../tasks/cost.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { JsonText } from "../ui/json-text.tsx";
import { Card, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { CallFacts } from "./call-facts.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { approvalQuery, type Approval } from "./queries.ts";
import { APPROVAL_LABELS, APPROVAL_OUTCOMES, APPROVAL_TONES } from "./status.ts";

/** One call that required approval: what is sent, who decided, and what became of it. */
export function ApprovalView() {
  const { approvalId } = useParams({ from: "/shell/approvals/$approvalId" });
  const query = useQuery(approvalQuery(approvalId));
  if (query.data !== undefined) return <ShownApproval key={approvalId} approval={query.data} />;
  return (
    <>
      <ViewHeader title="Approval" />
      {query.isPending ? (
        <Loading what="the call" />
      ) : (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
    </>
  );
}

const SHORTCUTS = [
  { keys: "a", label: "Approve the call" },
  { keys: "d", label: "Deny the call" },
  { keys: "r", label: "Write a message" },
];

function ShownApproval({ approval }: { readonly approval: Approval }) {
  const { id, status, decisions } = approval;
  const mayDecide = useHasScope("approvals:decide");
  const isOpen = status === "pending" && mayDecide;
  const { show: onDone, toast } = useToast();
  const panel = useRef<HTMLDivElement>(null);
  useShortcuts(
    isOpen
      ? SHORTCUTS.map((shortcut) => ({
          ...shortcut,
          run: () => pressControl(panel.current, shortcut.keys),
        }))
      : [],
  );
  return (
    <>
      <ViewHeader title={`${approval.toolId}/${approval.capability}`}>
        <Badge tone={APPROVAL_TONES[status]}>{APPROVAL_LABELS[status]}</Badge>
        <CopyButton
          text={curlFor("GET", `/agents/approvals/${id}`)}
          label="Copy the command that reads the approval"
        />
      </ViewHeader>
      {toast}
      <div ref={panel} className="grid max-w-4xl gap-4 [&>*]:min-w-0">
        <Card title="Call">
          <CallFacts approval={approval} />
        </Card>
        <Card title="Decision">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
            <p>{APPROVAL_OUTCOMES[status]}</p>
            {decisions.length > 0 && <Decisions decisions={decisions} />}
            {isOpen && <DecisionForm approval={approval} onDone={onDone} />}
          </div>
        </Card>
        {approval.endedAt !== undefined && <Outcome approval={approval} />}
      </div>
    </>
  );
}

function Decisions({ decisions }: Pick<Approval, "decisions">) {
  return (
    <ul aria-label="Decisions" className="grid gap-2">
      {decisions.map(({ decision, by, at, viaLink, message }) => (
        <li key={`${at} ${by}`} className="grid gap-0.5">
          <span className="flex flex-wrap gap-x-2">
            <span className="font-medium">{decision === "approve" ? "Approved" : "Denied"}</span>
            {by !== undefined && <span>by {by === "root" ? "the root key" : `key ${by}`}</span>}
            {viaLink && <span>with a link</span>}
            <span className="text-muted">
              <Time at={at} />
            </span>
          </span>
          {message !== undefined && (
            <bdi className="break-words whitespace-pre-wrap">{message}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ approval }: { readonly approval: Approval }) {
  const { endedAt, cost, error, result } = approval;
  return (
    <Card title={error === undefined ? "Result" : "Error"}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <Facts>
          {endedAt !== undefined && (
            <Fact name="Ended">
              <Time at={endedAt} />
            </Fact>
          )}
          {cost !== undefined && <Fact name="Cost">{formatCost(cost)}</Fact>}
          {error !== undefined && (
            <Fact name={error.code}>
              <bdi>{error.message}</bdi>
            </Fact>
          )}
        </Facts>
        {result !== undefined && <JsonText label="Result as JSON" value={result} />}
      </div>
    </Card>
  );
}
