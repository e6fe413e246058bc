import { WORKER_TASK_ID } from "./worker.ts";

// Answers that the service has given, to requests that the operations show.

const STARTED = { agentId: "word-counter", lease: { worker: "laptop", seconds: 60 } };

export const EVENT_PAGE_EXAMPLE = {
  taskId: WORKER_TASK_ID,
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

export const COMPLETED_EVENT_EXAMPLE = {
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

export const FEED_PAGE_EXAMPLE = {
  events: [
    {
      taskId: COMPLETED_EVENT_EXAMPLE.taskId,
      seq: 3,
      type: "started",
      at: "2026-11-21T22:28:09.455Z",
      agentId: "word-counter",
      data: STARTED,
    },
    COMPLETED_EVENT_EXAMPLE,
  ],
  nextCursor: "MTc5NTMwMDA4OTYwODAwMC53Zi1vR0VrendybWNwTW9HSWpyMXdVVEtua2x2Wm1DUzVIODdJeGY0eFRr",
  more: false,
};

// What the service has sent, word for word.

export const EVENT_STREAM_EXAMPLE = `event: snapshot
data: {"taskId":"433394249c698e420eac005f44ee66557d2e2e127175c84aa4288156414a379c","status":"pending","task":"Count the words","agentId":"word-counter","agentName":"Word counter","priority":"medium","progress":0,"timeline":{"createdAt":"2026-11-21T22:19:47.475Z"},"attempt":1,"attempts":[],"createdAt":"2026-11-21T22:19:47.475Z","context":{"text":"Merchants paid for stone cellars."},"seq":1}
id: 0
retry: 1000

data: {"seq":1,"type":"created","at":"2026-11-21T22:19:47.475Z","data":{"task":"Count the words","teamId":null,"choice":{"agentId":"word-counter","agentName":"Word counter","reasons":["asked for by name"],"candidates":[]},"priority":"medium","deadline":null,"deliverables":[],"budget":null,"estimatedCompletion":"2026-11-21T22:21:47.458Z","estimatedDurationMs":120000,"createdBy":"root","context":{"text":"Merchants paid for stone cellars."}}}
id: 1

data: {"seq":2,"type":"assigned","at":"2026-11-21T22:19:47.991Z","data":{"agentId":"word-counter","agentName":"Word counter","reasons":["asked for by name"],"candidates":[],"terms":{"executor":"worker","maxConcurrentTasks":null,"requireReview":false}}}
id: 2

data: {"seq":3,"type":"started","at":"2026-11-21T22:19:48.015Z","data":{"agentId":"word-counter","lease":{"worker":"laptop","seconds":60}}}
id: 3

data: {"seq":4,"type":"completed","at":"2026-11-21T22:19:48.098Z","data":{"result":{"summary":"There are 5 words.","insights":[],"recommendations":[]},"quality":null,"deliverables":[],"calls":[]}}
id: 4

`;
