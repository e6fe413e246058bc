import type { TaskEvent } from "../../src/tasks/model/events.ts";

/** What whoever asked for a change was told: it is done, it is refused, or nothing that says either. */
export type RequestOutcome = "done" | "refused" | "unknown";

interface Asked {
  readonly taskId: string;
  readonly what: string;
  told: RequestOutcome;
}

/** Everything that was asked of tasks, each with a mark of its own that the log shows where it was done. */
export class RequestLog {
  readonly asked = new Map<string, Asked>();
  /** Statuses that were shown, by the version of the task. */
  readonly shown: { readonly taskId: string; readonly seq: number; readonly status: string }[] = [];
  /** Until when workers were told that they hold a task, by their tokens. */
  readonly promised = new Map<string, number>();

  mark(taskId: string, what: string): string {
    const mark = `mark ${this.asked.size + 1}`;
    this.asked.set(mark, { taskId, what, told: "unknown" });
    return mark;
  }

  /** What was done once is done, whatever is said of a repeat. */
  tell(mark: string, told: RequestOutcome): void {
    const asked = this.asked.get(mark);
    if (asked !== undefined && asked.told !== "done") asked.told = told;
  }

  show(taskId: string, { seq, status }: { readonly seq: number; readonly status: string }): void {
    this.shown.push({ taskId, seq, status });
  }

  promise(token: string, until: number): void {
    this.promised.set(token, Math.max(until, this.promised.get(token) ?? 0));
  }
}

/** The mark of what an event does; null where nobody outside has asked for it, or it has none. */
export function requestMarkOf(event: TaskEvent, before: TaskEvent | undefined): string | null {
  switch (event.type) {
    case "progressed": {
      if (event.data.file !== undefined) return event.data.file.name;
      const mark = event.data.work["mark"];
      return typeof mark === "string" ? mark : null;
    }
    case "declined":
      return event.data.released === true ? event.data.reason : null;
    case "blocked":
      return event.data.question;
    case "responded":
      return typeof event.data.response === "string" ? event.data.response : null;
    case "submitted":
      return event.data.result.summary;
    case "completed":
      return before?.type === "approved" ? null : event.data.result.summary;
    case "approved":
    case "changes_requested":
      return event.data.comment;
    case "failed":
      return event.data.error.message;
    case "cancelled":
      return event.data.reason;
    case "updated":
      return event.data.notes ?? null;
    case "rated":
      return event.data.feedback ?? null;
    default:
      return null;
  }
}
