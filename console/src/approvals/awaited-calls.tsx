import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useHasScope } from "../session/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { CallFacts } from "./call-facts.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { approvalQuery } from "./queries.ts";
import { APPROVAL_LABELS, APPROVAL_OUTCOMES, APPROVAL_TONES } from "./status.ts";

/** The calls that a task waits for, with the buttons that decide about them if the key may decide. */
export function AwaitedCalls({
  approvalIds,
  onDone,
}: {
  readonly approvalIds: readonly string[];
  readonly onDone: (text: string) => void;
}) {
  return (
    <ul aria-label="Calls that wait for approval" className="grid gap-3 [&>*]:min-w-0">
      {approvalIds.map((id) => (
        <li
          key={id}
          className="bg-surface border-border text-text grid gap-3 rounded-md border p-3 [&>*]:min-w-0"
        >
          <AwaitedCall id={id} onDone={onDone} />
        </li>
      ))}
    </ul>
  );
}

function AwaitedCall({
  id,
  onDone,
}: {
  readonly id: string;
  readonly onDone: (text: string) => void;
}) {
  const mayDecide = useHasScope("approvals:decide");
  const { data: approval, error, isPending, refetch } = useQuery(approvalQuery(id));
  if (isPending) return <Loading what="the call" />;
  if (approval === undefined) return <ErrorPanel error={error} retry={() => void refetch()} />;
  const { status } = approval;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={APPROVAL_TONES[status]}>{APPROVAL_LABELS[status]}</Badge>
        <h2 className="min-w-0 font-semibold break-words">
          <Link
            to="/approvals/$approvalId"
            params={{ approvalId: id }}
            className="hover:text-accent hover:underline"
          >
            {approval.toolId}/{approval.capability}
          </Link>
        </h2>
      </div>
      <CallFacts approval={approval} />
      {status !== "pending" && <p role="status">{APPROVAL_OUTCOMES[status]}</p>}
      {status === "pending" && mayDecide && <DecisionForm approval={approval} onDone={onDone} />}
      {status === "pending" && !mayDecide && (
        <p>A person whose key has the scope approvals:decide must decide.</p>
      )}
    </>
  );
}
