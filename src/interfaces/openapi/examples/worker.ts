// Answers that the service has given, to requests that the operations show.

export const WORKER_TASK_ID = "40501cff3c4ba67640f5def358058879cda07c1f64e2e642840602529181cf59";

export const CLAIM_EXAMPLE = {
  tasks: [
    {
      taskId: WORKER_TASK_ID,
      status: "in_progress",
      task: "Count the words",
      agentId: "word-counter",
      agentName: "Word counter",
      priority: "high",
      progress: 0,
      currentPhase: "planning",
      timeline: {
        createdAt: "2026-11-21T22:19:46.624Z",
        startedAt: "2026-11-21T22:19:47.152Z",
      },
      attempt: 1,
      attempts: [],
      createdAt: "2026-11-21T22:19:46.624Z",
      context: {
        text: "The harbour of Bergen was rebuilt in 1702.",
      },
      lease: {
        token: "lse_7975842a-03ce-47da-977a-cf20720ce316",
        expiresAt: "2026-11-21T22:20:47.152Z",
        seconds: 60,
      },
      deliverables: ["csv"],
      answers: [],
      reviewComments: [],
      work: {},
      files: [],
    },
  ],
};

export const REPORT_RESULT_EXAMPLE = {
  taskId: WORKER_TASK_ID,
  status: "completed",
  stop: true,
};

export const UPLOAD_EXAMPLE = {
  type: "csv",
  name: "words.csv",
  url: `http://127.0.0.1:8787/agents/tasks/${WORKER_TASK_ID}/deliverables/words.csv`,
  size: 8,
  createdAt: "2026-11-21T22:19:47.276Z",
  sha256: "eab9837e4e85827db0c0294c8d6a92588f0cc9701339b71d9361befde23b78d2",
  format: "text/csv",
};

export const REPLACED_UPLOAD_EXAMPLE = { ...UPLOAD_EXAMPLE, createdAt: "2026-11-21T22:19:47.327Z" };
