// Answers that the service has given, to requests that the operations show.
import { REJECTED_TASK, SUMMARY_HEAD, SUMMARY_TIMELINE, UPDATED_TAIL } from "./task-changes.ts";

const { agentId, agentName, error } = REJECTED_TASK;

export const RETRIED_TASK = {
  ...SUMMARY_HEAD,
  status: "pending",
  agentId: "storyteller",
  agentName: "Storyteller",
  priority: "urgent",
  progress: 0,
  timeline: { createdAt: SUMMARY_TIMELINE.createdAt },
  ...UPDATED_TAIL,
  attempt: 2,
  attempts: [
    {
      attempt: 1,
      agentId,
      agentName,
      error,
      timeline: { startedAt: SUMMARY_TIMELINE.startedAt, failedAt: error.at },
    },
  ],
};

export const CANCELLED_TASK = {
  ...RETRIED_TASK,
  status: "cancelled",
  cancelReason: "The ship has sailed.",
};
