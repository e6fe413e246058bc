import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { buttonClass } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState, ErrorPanel, Loading } from "../../ui/panels.tsx";
import { Time } from "../../ui/time.tsx";
import type { Task } from "../queries.ts";
import { FilePreview } from "./file-preview.tsx";
import { deliverablesQuery, type Deliverable } from "./queries.ts";
import { formatBytes } from "./text-parts.ts";

/** The files of a task, with a preview of the selected one. */
export function Deliverables({ task }: { readonly task: Task }) {
  if (task.status !== "review" && task.status !== "completed")
    return (
      <EmptyState title="No deliverables yet">
        The files appear when the agent submits or completes the work.
      </EmptyState>
    );
  return <FileList task={task} />;
}

function FileList({ task }: { readonly task: Task }) {
  const { file: selectedName } = useSearch({ from: "/shell/tasks/$taskId" });
  const { data: files, error, refetch } = useQuery(deliverablesQuery(task));
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (files === undefined) return <Loading what="the deliverables" />;
  const shown = files.find(({ name }) => name === selectedName) ?? files[0];
  if (shown === undefined)
    return <EmptyState title="No deliverables">The agent delivered no files.</EmptyState>;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)] [&>*]:min-w-0">
      <nav aria-label="Files">
        <ul className="grid gap-1">
          {files.map((file) => (
            <li key={file.name}>
              <Link
                to="/tasks/$taskId"
                params={{ taskId: task.taskId }}
                search={{ tab: "deliverables", file: file.name }}
                resetScroll={false}
                aria-current={file === shown ? "true" : undefined}
                className={classNames(
                  "block rounded-md px-2 py-1",
                  file === shown ? "bg-accent-soft" : "hover:bg-sunken",
                )}
              >
                <bdi className="block font-medium break-words">{file.name}</bdi>
                <span className="text-muted block text-sm">
                  <bdi>{file.type}</bdi> · {formatBytes(file.size)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <section
        aria-labelledby="file-name"
        className="border-border bg-surface grid gap-3 rounded-lg border p-4 [&>*]:min-w-0"
      >
        <div className="flex flex-wrap items-center gap-2">
          <h2 id="file-name" className="min-w-0 font-semibold break-words">
            <bdi>{shown.name}</bdi>
          </h2>
          <span className="text-muted text-sm">
            {formatBytes(shown.size)} · <Time at={shown.createdAt} />
          </span>
          <DownloadLink taskId={task.taskId} file={shown} />
        </div>
        <FilePreview key={`${shown.name} ${shown.createdAt}`} taskId={task.taskId} file={shown} />
        {shown.sha256 !== undefined && (
          <p className="text-muted text-sm break-all">SHA-256 {shown.sha256}</p>
        )}
      </section>
    </div>
  );
}

function DownloadLink({ taskId, file }: { readonly taskId: string; readonly file: Deliverable }) {
  return (
    <a
      href={`/agents/tasks/${taskId}/deliverables/${encodeURIComponent(file.name)}`}
      download={file.name}
      className={buttonClass("secondary", "ml-auto")}
    >
      <Download aria-hidden className="size-4" />
      Download
    </a>
  );
}
