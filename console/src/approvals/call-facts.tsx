import { Link } from "@tanstack/react-router";
import { useHasScope } from "../session/identity.ts";
import { formatCost } from "../tasks/cost.ts";
import { Fact, Facts } from "../ui/facts.tsx";
import { IsolatedList } from "../ui/isolated-list.tsx";
import { JsonText } from "../ui/json-text.tsx";
import { Time } from "../ui/time.tsx";
import type { Approval } from "./queries.ts";

/** Exactly what will be sent if a call is approved, and why it requires approval. */
export function CallFacts({ approval }: { readonly approval: Approval }) {
  const { toolId, capability, agentId, taskId, destination, requestedBy } = approval;
  const mayReadTools = useHasScope("tools:read");
  const mayManagePolicies = useHasScope("policies:manage");
  const mayReadTasks = useHasScope("tasks:read");
  const mayManageAgents = useHasScope("agents:manage");
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Facts>
        <Fact name="Reason">
          <bdi className="whitespace-pre-wrap">{approval.reason}</bdi>
        </Fact>
        <Fact name="Call">
          {mayReadTools ? (
            <Link to="/tools/$toolId" params={{ toolId }} className={LINK}>
              {toolId}/{capability}
            </Link>
          ) : (
            `${toolId}/${capability}`
          )}
        </Fact>
        <Fact name="Destination">
          {destination === undefined ? (
            "None: the tool is built in"
          ) : (
            <span className="break-all">{destination}</span>
          )}
        </Fact>
        <Fact name="Agent">
          {agentId === undefined ? (
            "None"
          ) : mayManageAgents ? (
            <Link to="/agents/$agentId" params={{ agentId }} className={LINK}>
              {agentId}
            </Link>
          ) : (
            agentId
          )}
        </Fact>
        {requestedBy !== undefined && (
          <Fact name="Requested by">
            {requestedBy === "root" ? "Root key" : `Key ${requestedBy}`}
          </Fact>
        )}
        {taskId !== undefined && (
          <Fact name="Task">
            {mayReadTasks ? (
              <Link to="/tasks/$taskId" params={{ taskId }} className={LINK}>
                {taskId.slice(0, 12)}…
              </Link>
            ) : (
              <span className="break-all">{taskId}</span>
            )}
          </Fact>
        )}
        <Fact name="Highest price">{formatCost(approval.estimatedCost)}</Fact>
        <Fact name="Requested">
          <Time at={approval.requestedAt} />
        </Fact>
        {approval.status === "pending" && (
          <Fact name="Expires">
            <Time at={approval.expiresAt} />
          </Fact>
        )}
        <Fact name="Policies">
          {mayManagePolicies ? (
            approval.policies.map(({ id }) => (
              <Link key={id} to="/policies" search={{ policy: id }} className={`${LINK} mr-2`}>
                {id}
              </Link>
            ))
          ) : (
            <IsolatedList texts={approval.policies.map(({ id }) => id)} />
          )}
        </Fact>
      </Facts>
      <JsonText label="Parameters" value={approval.parameters} />
    </div>
  );
}

const LINK = "text-accent break-all underline";
