import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useHasScope } from "../session/identity.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { IsolatedList } from "../ui/isolated-list.tsx";
import { Card, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { AgentBadges } from "./agent-badges.tsx";
import { EditAgentDialog } from "./agent-dialog.tsx";
import { PauseDialog, PausePanel } from "./agent-pause.tsx";
import { AgentTasks } from "./agent-tasks.tsx";
import { AgentWorkers } from "./agent-workers.tsx";
import { ExecutorFacts } from "./executor-facts.tsx";
import {
  agentQuery,
  useChangeAgent,
  useDeleteAgent,
  useResumeAgent,
  useRunTestTask,
  type AgentDetail,
} from "./queries.ts";

export function AgentView() {
  const { agentId } = useParams({ from: "/shell/agents/$agentId" });
  const query = useQuery(agentQuery(agentId));
  if (query.data !== undefined) return <LoadedAgent key={agentId} agent={query.data} />;
  return (
    <>
      <ViewHeader title="Agent" />
      {query.isPending ? (
        <Loading what="the agent" />
      ) : (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
    </>
  );
}

function LoadedAgent({ agent }: { readonly agent: AgentDetail }) {
  const [open, setOpen] = useState<"edit" | "pause" | "disable" | "delete" | null>(null);
  const navigate = useNavigate();
  const change = useChangeAgent(agent.id);
  const resume = useResumeAgent(agent.id);
  const remove = useDeleteAgent(agent.id);
  const test = useRunTestTask(agent.id);
  const mayCreateTasks = useHasScope("tasks:write");
  const close = (): void => setOpen(null);
  const { show, toast } = useToast();
  return (
    <>
      <ViewHeader title={agent.name}>
        {mayCreateTasks && (
          <Button
            disabled={!agent.enabled || test.isPending}
            title={agent.enabled ? undefined : "Enable the agent to test it."}
            onClick={() =>
              test.mutate(undefined, {
                onSuccess: ({ taskId }) =>
                  void navigate({ to: "/tasks/$taskId", params: { taskId } }),
              })
            }
          >
            Run a test task
          </Button>
        )}
        <Button onClick={() => setOpen("edit")}>Edit</Button>
        {agent.paused === null ? (
          <Button onClick={() => setOpen("pause")}>Pause</Button>
        ) : (
          <Button
            kind="primary"
            disabled={resume.isPending}
            onClick={() =>
              resume.mutate(undefined, { onSuccess: () => show("The agent is resumed.") })
            }
          >
            Resume
          </Button>
        )}
        {agent.enabled ? (
          <Button onClick={() => setOpen("disable")}>Disable</Button>
        ) : (
          <Button
            kind="primary"
            disabled={change.isPending}
            onClick={() =>
              change.mutate({ enabled: true }, { onSuccess: () => show("The agent is enabled.") })
            }
          >
            Enable
          </Button>
        )}
        <Button kind="danger" onClick={() => setOpen("delete")}>
          Delete
        </Button>
      </ViewHeader>
      <div className="grid gap-4">
        {change.error && open === null && <ErrorPanel error={change.error} />}
        {resume.error && <ErrorPanel error={resume.error} />}
        {test.error && <ErrorPanel error={test.error} />}
        <PausePanel agent={agent} />
        <Card
          title="Agent"
          actions={
            <span className="flex min-w-0 flex-wrap gap-2">
              <AgentBadges agent={agent} />
            </span>
          }
        >
          <AgentFacts agent={agent} />
        </Card>
        <AgentWorkers agent={agent} />
        <AgentTasks agentId={agent.id} />
      </div>
      {toast}
      {open === "edit" && (
        <EditAgentDialog
          agent={agent}
          onSaved={() => {
            close();
            show("The agent was changed.");
          }}
          onClose={close}
        />
      )}
      {open === "pause" && (
        <PauseDialog
          agent={agent}
          onPaused={() => {
            close();
            show("The agent is paused.");
          }}
          onClose={close}
        />
      )}
      {open === "disable" && (
        <ConfirmDialog
          title="Disable the agent?"
          confirm="Disable"
          mutation={change}
          onConfirm={() =>
            change.mutate(
              { enabled: false },
              {
                onSuccess: () => {
                  close();
                  show("The agent is disabled.");
                },
              },
            )
          }
          onClose={close}
        >
          <p>
            <bdi className="font-medium">{agent.name}</bdi> gets no new tasks, and its tool calls
            are rejected. A task in progress can fail at its next step. Waiting tasks become pending
            and go to other agents, except tasks for which this agent was requested.
          </p>
        </ConfirmDialog>
      )}
      {open === "delete" && (
        <ConfirmDialog
          title="Delete the agent?"
          confirm="Delete"
          mutation={remove}
          onConfirm={() =>
            remove.mutate(undefined, { onSuccess: () => void navigate({ to: "/agents" }) })
          }
          onClose={close}
        >
          <p>
            This deletes <bdi className="font-medium">{agent.name}</bdi> with its grants and team
            memberships, and revokes its keys. Waiting tasks become pending. Earlier tasks still
            show its name.
          </p>
          <p>
            The id <code>{agent.id}</code> cannot be used again. To stop the agent temporarily,
            pause it instead.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function AgentFacts({ agent }: { readonly agent: AgentDetail }) {
  const { queue } = agent;
  return (
    <Facts>
      <Fact name="Id">
        <code>{agent.id}</code>
      </Fact>
      {agent.description !== "" && (
        <Fact name="Description">
          <bdi>{agent.description}</bdi>
        </Fact>
      )}
      <ExecutorFacts executor={agent.executor} />
      {agent.skills.length > 0 && (
        <Fact name="Skills">
          <IsolatedList texts={agent.skills} />
        </Fact>
      )}
      {agent.teams.length > 0 && (
        <Fact name="Teams">
          <span className="flex flex-wrap gap-x-3">
            {agent.teams.map((teamId) => (
              <Link key={teamId} to="/agents" search={{ teamId }} className="text-accent underline">
                {teamId}
              </Link>
            ))}
          </span>
        </Fact>
      )}
      <Fact name="Maximum concurrent tasks">{agent.maxConcurrentTasks ?? "No maximum"}</Fact>
      {queue !== undefined && (
        <Fact name="Queue">
          {queue.running} running, {queue.waiting} waiting
        </Fact>
      )}
      {agent.requireTask && <Fact name="Tool calls">Only under a task</Fact>}
      <Fact name="Last used">
        {agent.lastUsedAt === undefined ? "Never" : <Time at={agent.lastUsedAt} />}
      </Fact>
      <Fact name="Registered">
        <Time at={agent.createdAt} />
        {agent.createdBy !== undefined && (
          <>
            , owned by <code>{agent.createdBy}</code>
          </>
        )}
      </Fact>
    </Facts>
  );
}
