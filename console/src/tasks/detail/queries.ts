import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, ApiError, dataOf, errorOf, type Schemas } from "../../api/client.ts";
import { taskQuery, type Task } from "../queries.ts";
import type { TaskEvent } from "./task-log.ts";
import type { Changes } from "./task-changes.ts";

/** A call's parameters or result: the value, or the beginning of a long one. */
export interface RecordedValue {
  readonly size: number;
  readonly value?: unknown;
  readonly preview?: string;
}
export type TaskCall = Omit<Schemas["TaskCall"], "parameters" | "result"> & {
  readonly parameters: RecordedValue;
  readonly result?: RecordedValue;
};
export type Deliverable = Schemas["DownloadableDeliverable"];

/** The events of a task that have arrived. Only the stream adds to them. */
export function taskLogQuery(taskId: string) {
  return queryOptions({
    queryKey: ["task-log", taskId],
    queryFn: (): readonly TaskEvent[] => [],
    initialData: [],
    enabled: false,
  });
}

/** The task with its whole context, whatever its size. */
export function wholeTaskQuery(taskId: string) {
  return queryOptions({
    queryKey: ["task", taskId, "whole"],
    queryFn: () => {
      const params = { path: { id: taskId }, query: { include: "context" as const } };
      return dataOf(api.GET("/agents/tasks/{id}", { params }));
    },
  });
}

/** The task's agent, to find out why a task waits for it. Needs a key that may read agents. */
export function assigneeQuery(agentId: string) {
  return queryOptions({
    queryKey: ["agents", "assignee", agentId],
    queryFn: () => dataOf(api.GET("/agents/{agentId}", { params: { path: { agentId } } })),
    retry: false,
  });
}

/** The files of a task with their media types. Another submission has other files. */
export function deliverablesQuery({ taskId, deliverables = [] }: Task) {
  const version = deliverables.map(({ name, createdAt }) => `${createdAt} ${name}`);
  return queryOptions({
    queryKey: ["task-files", taskId, version],
    queryFn: async () => {
      const params = { path: { id: taskId } };
      return (await dataOf(api.GET("/agents/tasks/{id}/deliverables", { params }))).deliverables;
    },
  });
}

const CALLS_PAGE_SIZE = 50;

/** The tool calls made for a task or rejected, newest first. Their parameters and results are cut. */
export function taskCallsQuery(taskId: string) {
  return infiniteQueryOptions({
    queryKey: ["task", taskId, "calls"],
    queryFn: ({ pageParam }) => {
      const query = { limit: CALLS_PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) };
      return dataOf(
        api.GET("/agents/tasks/{id}/calls", { params: { path: { id: taskId }, query } }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** One tool call with its parameters and result. */
export function taskCallQuery(taskId: string, callId: string) {
  return queryOptions({
    queryKey: ["task", taskId, "call", callId],
    queryFn: () =>
      dataOf(
        api.GET("/agents/tasks/{id}/calls/{callId}", { params: { path: { id: taskId, callId } } }),
      ),
  });
}

/** The content of a file. Files do not change, but one can replace another with the same name. */
export function fileQuery(taskId: string, { name, createdAt }: Deliverable) {
  return queryOptions({
    queryKey: ["task-file", taskId, name, createdAt],
    queryFn: async (): Promise<Blob> => {
      const path = `/agents/tasks/${taskId}/deliverables/${encodeURIComponent(name)}`;
      const response = await fetch(path);
      if (!response.ok) throw errorOf(response, await response.json().catch(() => null));
      return response.blob();
    },
    staleTime: Infinity,
  });
}

interface Versioned {
  readonly task: Task;
  readonly etag: string;
}

async function readVersion(taskId: string): Promise<Versioned> {
  const request = api.GET("/agents/tasks/{id}", { params: { path: { id: taskId } } });
  const task = await dataOf(request);
  return { task, etag: (await request).response.headers.get("ETag") ?? "*" };
}

/** The fields that a change replaces, with their names for people. */
const COMPARED_FIELDS = [
  ["title", "title"],
  ["priority", "priority"],
  ["deadline", "deadline"],
  ["agentId", "agent"],
  ["budget", "budget"],
] as const;

/** How often a change is sent again when only something else about the task has changed. */
const CONFLICTS_MAX = 3;

/**
 * Changes a task that the person saw as `seen`. If someone else has changed the same field since, the change is
 * rejected. Other changes, such as the agent's progress, are no conflict.
 */
async function change(seen: Task, changes: Changes): Promise<Task> {
  for (let conflicts = 0; ; conflicts += 1) {
    const { task, etag } = await readVersion(seen.taskId);
    const changed = COMPARED_FIELDS.filter(
      ([field]) =>
        changes[field] !== undefined && JSON.stringify(task[field]) !== JSON.stringify(seen[field]),
    );
    if (changed.length > 0) {
      const names = changed.map(([, name]) => name).join(" and the ");
      const text = `The ${names} changed after you opened this form. Close it, check the new value, and try again.`;
      throw new ApiError(412, "PRECONDITION_FAILED", text);
    }
    const params = { path: { id: seen.taskId }, header: { "If-Match": etag } };
    try {
      return await dataOf(api.PATCH("/agents/tasks/{id}", { params, body: changes }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || conflicts === CONFLICTS_MAX)
        throw error;
    }
  }
}

/**
 * Changes the agent that a task waits for, so that the task can start. Assigns an unassigned task to the agent
 * immediately.
 */
export function useUnblockTask(task: Task) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({
      agentId,
      body,
    }: {
      readonly agentId: string;
      readonly body: Schemas["UpdateAgentBody"];
    }) => {
      const params = { path: { agentId } };
      if (body.maxConcurrentTasks !== undefined) {
        // Someone else may have raised the maximum further.
        const { maxConcurrentTasks } = await dataOf(api.GET("/agents/{agentId}", { params }));
        if ((maxConcurrentTasks ?? Infinity) >= (body.maxConcurrentTasks ?? Infinity)) return;
      }
      await dataOf(api.PATCH("/agents/{agentId}", { params, body }));
      // If this fails, the service still assigns the task within a minute.
      if (task.agentId === undefined) await change(task, { agentId }).catch(() => undefined);
    },
    onSettled: () =>
      Promise.all(
        [["agents"], ["tasks"], taskQuery(task.taskId).queryKey].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useChangeTask(seen: Task) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => change(seen, changes),
    onSuccess: (task: Task) => queryClient.setQueryData(taskQuery(seen.taskId).queryKey, task),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["tasks"] }),
  });
}
