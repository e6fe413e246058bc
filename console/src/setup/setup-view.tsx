import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useHasScope, type Scope } from "../session/identity.ts";
import { taskQuery } from "../tasks/queries.ts";
import { ImportWizard } from "../tools/import-wizard.tsx";
import { Badge } from "../ui/badge.tsx";
import { Card, ViewHeader } from "../ui/panels.tsx";
import { GrantStep } from "./grant-step.tsx";
import { SampleTaskStep } from "./sample-task-step.tsx";
import { readSetupState, type SetupState } from "./setup-state.ts";

/** Three steps for a new installation. Each performs a real action and shows its result. */
export function SetupView() {
  const state = useSearch({ from: "/shell/setup" });
  const navigate = useNavigate({ from: "/setup" });

  const task = useQuery({
    ...taskQuery(state.taskId ?? ""),
    enabled: state.taskId !== undefined,
  });

  function record(part: SetupState): void {
    void navigate({ search: (current) => readSetupState({ ...current, ...part }), replace: true });
  }

  return (
    <>
      <ViewHeader title="Setup" />
      <p className="text-muted mb-4 max-w-prose">
        Three steps show how agents, tools and tasks work together. Each step changes the data of
        this service. You can do the steps in any order and repeat them.
      </p>
      <div className="grid max-w-4xl gap-4">
        <Step
          title="1. Grant a tool to an agent"
          purpose="An agent can call only the tools that it has been granted."
          scope="access:manage"
          isDone={state.agentId !== undefined && state.toolId !== undefined}
        >
          <GrantStep
            agentId={state.agentId ?? null}
            toolId={state.toolId ?? null}
            onGranted={record}
          />
        </Step>
        <Step
          title="2. Run the sample task"
          purpose="A built-in agent reads a small table of sales, and writes a report with a chart. It needs no model and calls no other system."
          scope="tasks:write"
          isDone={task.data?.status === "completed"}
        >
          <SampleTaskStep
            taskId={state.taskId ?? null}
            onCreated={(taskId) => record({ taskId })}
          />
        </Step>
        <Step
          title="3. Connect your own API"
          purpose="Import an OpenAPI document or an MCP server. Each operation becomes a capability that you can grant."
          scope="tools:manage"
        >
          <ImportWizard />
        </Step>
      </div>
    </>
  );
}

function Step({
  title,
  purpose,
  scope,
  isDone = false,
  children,
}: {
  readonly title: string;
  readonly purpose: string;
  /** The scope that the step needs. */
  readonly scope: Scope;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}) {
  const isAllowed = useHasScope(scope);
  return (
    <Card
      title={title}
      actions={
        isDone && (
          <Badge tone="success" icon={<CircleCheck aria-hidden />}>
            Done
          </Badge>
        )
      }
    >
      <p className="text-muted mb-3 max-w-prose">{purpose}</p>
      {isAllowed ? (
        children
      ) : (
        <p>
          Requires the scope <code>{scope}</code>. Sign in with a key that has it.
        </p>
      )}
    </Card>
  );
}
