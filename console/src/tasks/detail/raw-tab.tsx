import { Card, Command } from "../../ui/panels.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Task } from "../queries.ts";
import { curlFor } from "../../api/curl.ts";
import { JsonView } from "./json-view.tsx";
import type { TaskEvent } from "./task-log.ts";

/** The task and its log as the API returns them, and the commands that return them. */
export function RawTab({ task, log }: { readonly task: Task; readonly log: readonly TaskEvent[] }) {
  const path = `/agents/tasks/${task.taskId}`;
  return (
    <div className="grid gap-4 [&>*]:min-w-0">
      <Card title="Copy as curl">
        <div className="grid gap-3 [&>*]:min-w-0">
          <Request label="Read the task" command={curlFor("GET", path)} />
          <Request
            label="Follow its events"
            command={`${curlFor("GET", `${path}/events`)} \\\n  -N -H "Accept: text/event-stream"`}
          />
          <Request
            label="Create a task like this one"
            command={curlFor("POST", "/agents/tasks", likeThis(task))}
          />
        </div>
      </Card>
      <RawValue title="Task" value={task} />
      <RawValue title="Events" value={log} />
    </div>
  );
}

function likeThis({ task, agentId, teamId, priority, context, budget }: Task): unknown {
  return { task, agentId, teamId, priority, context, budget };
}

function Request({ label, command }: { readonly label: string; readonly command: string }) {
  return (
    <div>
      <h3 className="font-medium">{label}</h3>
      <Command text={command} />
    </div>
  );
}

function RawValue({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <Card
      title={title}
      actions={
        <CopyButton text={JSON.stringify(value, null, 2)} label={`Copy “${title}” as JSON`} />
      }
    >
      <div className="font-mono text-sm">
        <JsonView value={value} />
      </div>
    </Card>
  );
}
