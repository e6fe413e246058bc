import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode } from "react";
import { loadModule } from "../api/load-module.ts";
import { ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { useToast } from "../ui/toast.tsx";
import { Activity } from "./detail/activity.tsx";
import { taskLogQuery } from "./detail/queries.ts";
import { StatusPanel } from "./detail/status-panel.tsx";
import { TaskFacts } from "./detail/task-facts.tsx";
import { TaskHeader } from "./detail/task-header.tsx";
import { TaskTabs } from "./detail/task-tabs.tsx";
import { useTaskStream } from "./detail/use-task-stream.ts";
import { taskQuery, type Task } from "./queries.ts";

const CallsTab = lazy(async () => ({
  default: (await loadModule(() => import("./detail/calls-tab.tsx"))).CallsTab,
}));
const FeedbackTab = lazy(async () => ({
  default: (await loadModule(() => import("./detail/feedback-tab.tsx"))).FeedbackTab,
}));
const RawTab = lazy(async () => ({
  default: (await loadModule(() => import("./detail/raw-tab.tsx"))).RawTab,
}));
const Deliverables = lazy(async () => ({
  default: (await loadModule(() => import("./detail/deliverables.tsx"))).Deliverables,
}));

/** How often the lease of a task is read again. */
const LEASE_REFRESH_MS = 15_000;

export function TaskView() {
  const { taskId } = useParams({ from: "/shell/tasks/$taskId" });
  const {
    data: task,
    error,
    refetch,
  } = useQuery({
    ...taskQuery(taskId),
    // A heartbeat causes no event.
    refetchInterval: ({ state }) => (state.data?.lease === undefined ? false : LEASE_REFRESH_MS),
  });
  if (task !== undefined) return <ShownTask key={taskId} task={task} error={error} />;
  return (
    <>
      <ViewHeader title="Task" />
      {error === null ? (
        <Loading what="the task" />
      ) : (
        <ErrorPanel error={error} retry={() => void refetch()} />
      )}
    </>
  );
}

/** `error`: why the task could not be fetched again, so that what is shown may be out of date. */
function ShownTask({ task, error }: { readonly task: Task; readonly error: Error | null }) {
  const stream = useTaskStream(task);
  const { data: log } = useQuery(taskLogQuery(task.taskId));
  const { tab = "activity" } = useSearch({ from: "/shell/tasks/$taskId" });
  const { show: onDone, toast } = useToast();

  const contents: Readonly<Record<typeof tab, () => ReactNode>> = {
    activity: () => <Activity taskId={task.taskId} log={log} />,
    calls: () => <CallsTab taskId={task.taskId} />,
    deliverables: () => <Deliverables task={task} />,
    feedback: () => <FeedbackTab task={task} onDone={onDone} />,
    raw: () => <RawTab task={task} log={log} />,
  };
  return (
    <div className="grid gap-4 [&>*]:min-w-0">
      <div>
        <TaskHeader task={task} stream={stream} onDone={onDone} />
        {toast}
      </div>
      {error !== null && <ErrorPanel error={error} />}
      <StatusPanel task={task} isOverview={tab === "activity"} onDone={onDone} />
      <TaskFacts task={task} log={log} />
      <TaskTabs task={task} current={tab} />
      <Suspense fallback={<Loading what="the tab" />}>{contents[tab]()}</Suspense>
    </div>
  );
}
