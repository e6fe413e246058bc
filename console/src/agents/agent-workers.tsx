import { Link } from "@tanstack/react-router";
import { Card, Command } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { OnlineBadge } from "./agent-badges.tsx";
import type { AgentDetail } from "./queries.ts";

type Worker = NonNullable<AgentDetail["workers"]>[number];

/** The workers of a worker agent: when they were last seen, and which tasks they hold. */
export function AgentWorkers({ agent }: { readonly agent: AgentDetail }) {
  const { id, online, lastSeenAt, workers } = agent;
  if (online === undefined) return null;
  return (
    <Card title="Workers" actions={<OnlineBadge online={online} />}>
      <p className="text-muted text-sm">
        {lastSeenAt === undefined ? (
          `No worker ${online ? "has claimed a task recently" : "has been seen recently"}.`
        ) : (
          <>
            Last seen <Time at={lastSeenAt} />
          </>
        )}
      </p>
      {workers === undefined && (
        <p className="text-muted">
          The agent's queue did not respond, so the workers cannot be listed.
        </p>
      )}
      {workers !== undefined && workers.length > 0 && (
        <ul className="divide-border divide-y">
          {workers.map((worker, index) => (
            <WorkerLine key={index} worker={worker} />
          ))}
        </ul>
      )}
      {!online && <StartWorker agentId={id} />}
    </Card>
  );
}

/** How to start a worker. */
function StartWorker({ agentId }: { readonly agentId: string }) {
  const command = `BOSUN_URL=${location.origin} BOSUN_KEY=$KEY AGENT_ID=${agentId} npm run worker`;
  return (
    <div className="grid max-w-prose grid-cols-[minmax(0,1fr)] gap-2 pt-2">
      <p>
        A worker is your own program: it claims the agent's tasks, does the work and reports the
        results. Run it on any machine that can reach this service. The guide{" "}
        <a href="/docs/guides/write-a-worker" className="text-accent underline">
          Write a worker
        </a>{" "}
        describes how. In Bosun's repository, this command starts the example, which counts words:
      </p>
      <Command text={command} />
    </div>
  );
}

function WorkerLine({
  worker: { name, lastSeenAt, waiting, taskIds },
}: {
  readonly worker: Worker;
}) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-1.5">
      <bdi className="min-w-0 font-medium break-words">{name ?? "Unnamed worker"}</bdi>
      {lastSeenAt !== undefined && (
        <span className="text-muted text-sm">
          last claim <Time at={lastSeenAt} />
        </span>
      )}
      {waiting && <span className="text-muted text-sm">waiting for a task</span>}
      {taskIds.length > 0 && (
        <span className="flex flex-wrap gap-x-3">
          holds
          {taskIds.map((taskId) => (
            <Link
              key={taskId}
              to="/tasks/$taskId"
              params={{ taskId }}
              className="text-accent inline-block py-0.5 font-mono underline"
            >
              {taskId.slice(0, 12)}…
            </Link>
          ))}
        </span>
      )}
    </li>
  );
}
