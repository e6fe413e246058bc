import type { DeliveryStatus } from "../../src/events/model/delivery.ts";
import type { Priority, TaskStatus } from "../../src/tasks/model/task.ts";

/** The parts of API responses that these proofs read; /openapi.json describes the complete responses. */

export interface TaskShape {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly agentId?: string;
  readonly priority: Priority;
  readonly progress: number;
  readonly attempt: number;
  readonly deadline?: string;
  readonly notes?: string;
  readonly cancelReason?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly blocked?: { readonly kind: string; readonly question: string };
  readonly error?: { readonly code: string; readonly message: string };
  readonly feedback?: { readonly rating: number };
  readonly deliverables?: readonly { readonly name: string; readonly size: number }[];
}

/** The part of a create response that the proofs read. */
export interface CreatedShape {
  readonly taskId: string;
}

/** A task as shown in lists. */
export interface RowShape {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly agentId?: string;
  readonly priority: Priority;
  readonly attempt: number;
  readonly deadline?: string;
  readonly rating?: number;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export interface ListShape {
  readonly tasks: readonly RowShape[];
  readonly nextCursor: string | null;
}

export interface EventShape {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LogShape {
  readonly taskId: string;
  readonly events: readonly EventShape[];
  readonly nextAfter: number | null;
}

export interface FeedEventShape extends EventShape {
  readonly taskId: string;
}

export interface FeedShape {
  readonly events: readonly FeedEventShape[];
  readonly nextCursor: string;
  readonly more: boolean;
}

export interface WebhooksShape {
  readonly webhooks: readonly { readonly id: string }[];
}

export interface DeliveriesShape {
  readonly deliveries: readonly {
    readonly event: { readonly taskId: string; readonly seq: number };
    readonly status: DeliveryStatus;
  }[];
  readonly nextCursor: string | null;
}

export interface ClaimShape {
  readonly tasks: readonly (TaskShape & {
    readonly answers: readonly object[];
    readonly lease: { readonly token: string };
  })[];
}

export interface FilesShape {
  readonly deliverables: readonly {
    readonly name: string;
    readonly size: number;
    readonly sha256?: string;
    readonly downloadUrl: string;
  }[];
}

export interface AgentShape {
  readonly rating?: { readonly mean: number; readonly count: number };
  readonly queue?: { readonly waiting: number; readonly running: number };
}
