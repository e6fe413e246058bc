// Answers that the service has given, to requests that the operations show.
import { COUNT_ID } from "./work.ts";

const STARTED = { agentId: "word-counter", lease: { worker: "laptop", seconds: 60 } };

export const EVENT_PAGE = {
  taskId: COUNT_ID,
  events: [
    {
      seq: 2,
      type: "assigned",
      at: "2026-11-21T22:19:47.138Z",
      data: {
        agentId: "word-counter",
        agentName: "Word counter",
        reasons: ["asked for by name"],
        candidates: [],
        terms: {
          executor: "worker",
          maxConcurrentTasks: null,
          requireReview: false,
        },
      },
    },
    {
      seq: 3,
      type: "started",
      at: "2026-11-21T22:19:47.152Z",
      data: STARTED,
    },
    {
      seq: 4,
      type: "progressed",
      at: "2026-11-21T22:19:47.216Z",
      data: {
        progress: 50,
        phase: "counting",
        calls: [],
        work: {},
      },
    },
  ],
  nextAfter: 4,
};

export const COMPLETED_EVENT = {
  taskId: "2cd657e1e7430fc4ebdc89dbc1563d4e9174f2aea920bc63abbb1b65a07f953e",
  seq: 4,
  type: "completed",
  at: "2026-11-21T22:28:09.535Z",
  agentId: "word-counter",
  data: {
    result: {
      summary: "There are 5 words.",
      insights: [],
      recommendations: [],
    },
    quality: null,
    deliverables: [],
    calls: [],
  },
};

export const FEED_PAGE = {
  events: [
    {
      taskId: COMPLETED_EVENT.taskId,
      seq: 3,
      type: "started",
      at: "2026-11-21T22:28:09.455Z",
      agentId: "word-counter",
      data: STARTED,
    },
    COMPLETED_EVENT,
  ],
  nextCursor: "MTc5NTMwMDA4OTYwODAwMC53Zi1vR0VrendybWNwTW9HSWpyMXdVVEtua2x2Wm1DUzVIODdJeGY0eFRr",
  more: false,
};
