import { Link } from "@tanstack/react-router";
import { Fragment, useState, type ReactNode } from "react";
import { useHasScope } from "../../session/identity.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ErrorPanel } from "../../ui/panels.tsx";
import type { ActionDialogProps } from "./cancel-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { useUnblockTask } from "./queries.ts";
import type { StatusAction } from "./status-explanation.ts";

const CHANGES_OF_AGENTS: ReadonlySet<StatusAction["kind"]> = new Set([
  "enable_agent",
  "raise_maximum",
]);

/** The actions that let a waiting task continue, if the person's key allows them. */
export function WaitActions({
  task,
  actions,
  onDone,
}: Omit<ActionDialogProps, "onClose"> & { readonly actions: readonly StatusAction[] }) {
  const canWrite = useHasScope("tasks:write");
  const canManageAgents = useHasScope("agents:manage");
  const [edited, setEdited] = useState<"agentId" | "priority" | null>(null);
  const unblock = useUnblockTask(task);

  function show(action: StatusAction): ReactNode {
    switch (action.kind) {
      case "open_agent":
        return (
          canManageAgents && (
            <Link
              to="/agents/$agentId"
              params={{ agentId: action.agentId }}
              className={buttonClass()}
            >
              Open the agent
            </Link>
          )
        );
      case "enable_agent":
        return (
          canManageAgents && (
            <Button
              kind="primary"
              disabled={unblock.isPending}
              onClick={() =>
                unblock.mutate(
                  { agentId: action.agentId, body: { enabled: true } },
                  { onSuccess: () => onDone("The agent is enabled.") },
                )
              }
            >
              Enable the agent
            </Button>
          )
        );
      case "raise_maximum":
        return (
          canManageAgents && (
            <Button
              disabled={unblock.isPending}
              onClick={() =>
                unblock.mutate(
                  { agentId: action.agentId, body: { maxConcurrentTasks: action.maximum } },
                  {
                    onSuccess: () =>
                      onDone(
                        `The agent can now work on at least ${action.maximum.toLocaleString("en")} tasks at the same time.`,
                      ),
                  },
                )
              }
            >
              Raise the agent's maximum to {action.maximum.toLocaleString("en")}
            </Button>
          )
        );
      case "change_agent":
        return (
          canWrite && (
            <Button onClick={() => setEdited("agentId")}>
              {action.isFirst ? "Choose an agent" : "Give the task to another agent"}
            </Button>
          )
        );
      case "change_priority":
        return (
          canWrite && <Button onClick={() => setEdited("priority")}>Change the priority</Button>
        );
    }
  }

  return (
    <>
      {actions.length > 0 && (
        <div className="flex flex-wrap gap-2 empty:hidden">
          {actions.map((action) => (
            <Fragment key={action.kind}>{show(action)}</Fragment>
          ))}
        </div>
      )}
      {unblock.error && actions.some(({ kind }) => CHANGES_OF_AGENTS.has(kind)) && (
        <ErrorPanel error={unblock.error} />
      )}
      {edited !== null && (
        <EditDialog task={task} only={edited} onClose={() => setEdited(null)} onDone={onDone} />
      )}
    </>
  );
}
