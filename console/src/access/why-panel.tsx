import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { agentsQuery } from "../agents/queries.ts";
import { toolQuery, toolsQuery } from "../tools/queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { explainAccess, type Explanation, type Question } from "./explain-access.ts";
import { useHasScope } from "../session/identity.ts";
import { PolicyDecision } from "./policy-decision.tsx";
import type { AccessState } from "./filters.ts";
import { SuggestField } from "../ui/suggest-field.tsx";

/** Answers why an agent may, or may not, call a capability. */
export function WhyPanel({
  state,
  onChange,
}: {
  readonly state: AccessState;
  readonly onChange: (part: AccessState) => void;
}) {
  const { agentId = "", toolId = "", capability = "" } = state;
  const [typed, setTyped] = useState<Question>({ agentId, toolId, capability });
  const question = { agentId, toolId, capability };
  const isComplete = agentId !== "" && toolId !== "" && capability !== "";
  const answer = useQuery({
    queryKey: ["access", "why", question],
    queryFn: () => explainAccess(question),
    enabled: isComplete,
    staleTime: 0,
  });
  const agents = useQuery(agentsQuery);
  const tools = useQuery(toolsQuery({ limit: 100 }));
  const tool = useQuery({ ...toolQuery(typed.toolId), enabled: isListed(typed.toolId) });

  function isListed(id: string): boolean {
    return tools.data?.tools.some((one) => one.id === id) ?? false;
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onChange({
      agentId: typed.agentId.trim(),
      toolId: typed.toolId.trim(),
      capability: typed.capability.trim(),
    });
    if (isComplete) void answer.refetch();
  }

  return (
    <div className="grid max-w-3xl gap-4">
      <Card>
        <form onSubmit={submit} className="grid gap-4">
          <SuggestField
            required
            label="Agent"
            value={typed.agentId}
            options={agents.data?.agents ?? []}
            onChange={({ target }) => setTyped({ ...typed, agentId: target.value })}
          />
          <SuggestField
            required
            label="Tool"
            value={typed.toolId}
            options={tools.data?.tools ?? []}
            onChange={({ target }) => setTyped({ ...typed, toolId: target.value })}
          />
          <SuggestField
            required
            label="Capability"
            value={typed.capability}
            options={tool.data?.tool.capabilities ?? []}
            onChange={({ target }) => setTyped({ ...typed, capability: target.value })}
          />
          <div>
            <Button kind="primary" type="submit" disabled={answer.isFetching}>
              Explain
            </Button>
          </div>
        </form>
      </Card>
      <div aria-live="polite" className="grid gap-4">
        {answer.isFetching && <Loading what="the answer" />}
        {answer.error && !answer.isFetching && <ErrorPanel error={answer.error} />}
        {answer.data && !answer.isFetching && (
          <Answer question={question} explanation={answer.data} />
        )}
      </div>
    </div>
  );
}

function Answer({
  question,
  explanation,
}: {
  readonly question: Question;
  readonly explanation: Explanation;
}) {
  const { agentId, toolId, capability } = question;
  const { allowed } = explanation;
  const { code, message } = explanation.reason;
  const mayManagePolicies = useHasScope("policies:manage");
  const Icon = allowed ? CircleCheck : CircleX;
  return (
    <Card
      title={
        <span className={`flex items-center gap-2 ${allowed ? "text-success" : "text-danger"}`}>
          <Icon aria-hidden className="size-5" />
          {allowed ? "The agent may make this call" : "The agent may not make this call"}
        </span>
      }
    >
      <p className="break-words">{message}</p>
      <p className="text-muted mb-3 text-sm">{code}</p>
      {allowed && (
        <p className="text-muted mb-3">
          A call can still be rejected because of its parameters, a missing credential, a rate limit
          or a budget.
        </p>
      )}
      {allowed && mayManagePolicies && <PolicyDecision question={question} />}
      <div className="flex flex-wrap gap-2">
        {code === "AGENT_DISABLED" ? (
          <Link to="/agents/$agentId" params={{ agentId }} className={buttonClass("primary")}>
            Open the agent
          </Link>
        ) : (
          <Link
            to="/access"
            search={{ agents: agentId, agentId, toolId }}
            className={buttonClass(allowed ? "secondary" : "primary")}
          >
            {code === "TOOL_ACCESS_DENIED" ? "Grant access" : "Change the grant"}
          </Link>
        )}
        <Link
          to="/tools/$toolId"
          params={{ toolId }}
          search={{ tab: "try", capability }}
          className={buttonClass("secondary")}
        >
          Try the call
        </Link>
      </div>
    </Card>
  );
}
