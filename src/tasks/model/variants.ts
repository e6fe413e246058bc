import { hasQueue } from "../../agents/model/agent.ts";
import type { TaskEventOf } from "./events.ts";
import { grantLease } from "./lease.ts";
import { workingMs } from "./schedule.ts";
import type { InProgressTask, Task, TaskBase } from "./task.ts";

/** The task without the fields of its status. When it leaves `in_progress`, its working time is added up. */
export function leaveStatus(task: Task, at: number): TaskBase {
  switch (task.status) {
    case "pending":
    case "assigned": {
      const { status, ...base } = task;
      return base;
    }
    case "in_progress": {
      const { status, workStartSeq, workingSince, ...base } = task;
      return { ...base, workedMs: workingMs(task, at) };
    }
    case "blocked": {
      const { status, blocked, ...base } = task;
      return base;
    }
    case "review": {
      const { status, outcome, ...base } = task;
      return base;
    }
    case "completed": {
      const { status, outcome, feedback, endedAt, ...base } = task;
      return base;
    }
    case "failed": {
      const { status, error, endedAt, ...base } = task;
      return base;
    }
    case "cancelled": {
      const { status, cancelReason, endedAt, ...base } = task;
      return base;
    }
  }
}

/** The agent starts to work, or continues, with a slot or a worker. */
export function startWork(
  base: TaskBase,
  event: TaskEventOf<"started" | "resumed">,
): InProgressTask {
  const { seq, at, data } = event;
  const lease = data.lease === undefined ? null : grantLease(data.lease, seq, at);
  return { ...toActive(base, seq, at), lease, lastStepAt: at };
}

/** After a person's response, the agent continues immediately if it has no queue. */
export function continueWork(base: TaskBase, seq: number, at: number): InProgressTask {
  return { ...(hasQueue(base.terms) ? toQueued(base) : toActive(base, seq, at)), lastStepAt: at };
}

function toActive(base: TaskBase, workStartSeq: number, at: number): InProgressTask {
  return { ...base, status: "in_progress", workStartSeq, workingSince: at };
}

export function toQueued(base: TaskBase): InProgressTask {
  return { ...base, status: "in_progress", workStartSeq: 0, workingSince: null };
}
