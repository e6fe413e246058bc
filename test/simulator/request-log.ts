import type { TaskEvent } from "../../src/tasks/model/events.ts";

/**
 * What a client knows about the change that it requested: it was applied, it was rejected, or its
 * outcome is unknown.
 */
export type RequestOutcome = "done" | "rejected" | "unknown";

interface Asked {
  readonly taskId: string;
  readonly what: string;
  outcome: RequestOutcome;
}

/**
 * All requests to change existing tasks. Each has a unique mark, which appears in the log if the
 * request is applied.
 */
export class RequestLog {
  readonly asked = new Map<string, Asked>();
  /** The statuses that clients have seen, each with the task's version. */
  readonly shown: { readonly taskId: string; readonly seq: number; readonly status: string }[] = [];
  /** The lease expiry promised to workers, by lease token. */
  readonly promised = new Map<string, number>();

  mark(taskId: string, what: string): string {
    const mark = `mark ${this.asked.size + 1}`;
    this.asked.set(mark, { taskId, what, outcome: "unknown" });
    return mark;
  }

  /**
   * Records a request's outcome. Once a request is done, the result of a repeat does not change
   * that.
   */
  tell(mark: string, outcome: RequestOutcome): void {
    const asked = this.asked.get(mark);
    if (asked !== undefined && asked.outcome !== "done") asked.outcome = outcome;
  }

  show(taskId: string, { seq, status }: { readonly seq: number; readonly status: string }): void {
    this.shown.push({ taskId, seq, status });
  }

  promise(token: string, until: number): void {
    this.promised.set(token, Math.max(until, this.promised.get(token) ?? 0));
  }
}

/** Returns the mark of the request that caused an event, or null if the event has none. */
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
