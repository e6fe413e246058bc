import {
  CREATED_WEBHOOK,
  DELETED_WEBHOOK,
  ROTATED_SECRET,
  UPDATED_WEBHOOK,
  WEBHOOK_DETAIL,
  WEBHOOK_LIST,
} from "../examples/webhook.ts";
import type { Operations } from "../operation.ts";
import {
  createdWebhook,
  deletedWebhook,
  rotatedSecret,
  webhook,
  webhookDetail,
  webhookList,
} from "../schemas/webhook.ts";
import { deliveryOperations, id } from "./deliveries.ts";

const FILTERS = {
  url: "Where messages are posted to: an `https` address that the guard lets the service go to. `http` is accepted only if the deployment sets `ALLOW_PRIVATE_EGRESS`. No fragment.",
  types:
    "The types of events to deliver, such as `failed` or `task.failed`, which are equivalent; left out, all of them.",
  agentId: "To be told of tasks that this agent has at that time, and no others.",
  teamId: "To be told of tasks of this team, and no others.",
  description: "What it is for, for people to read.",
  format:
    "The format of messages: `standard` is described above; `slack`, `teams` and `discord` are accepted by incoming webhooks of that service.",
  template:
    "A [Liquid](https://liquidjs.com) template over `type`, `timestamp`, `title`, `text` and `data`. In `standard` it renders the whole body, which must be JSON; in the other formats, the text of the chat message. A template that cannot be parsed gets 400 with the position of the error.",
  headers:
    "Headers to send with each message, such as the receiver's `Authorization`. Values are encrypted and never shown; `headerNames` shows the names. Headers that the service itself sets (`Host`, `Content-*`, `webhook-*` …) are reserved.",
};

const SECRET =
  "A secret of your own, as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes in base64. Left out, the service makes one.";

/** Who is told of events. */
export const webhookOperations: Operations = {
  "GET /agents/webhooks": {
    operationId: "listWebhooks",
    tag: "Webhooks",
    summary: "List webhooks",
    description: "A page of all webhooks, newest first, without their secrets.",
    parameters: {
      limit: { description: "Webhooks on one page.", example: 20 },
      offset: { description: "Webhooks to skip: those of the pages before.", example: 0 },
    },
    answers: [{ status: 200, description: "The page.", data: webhookList, example: WEBHOOK_LIST }],
    codes: [],
  },
  "POST /agents/webhooks": {
    operationId: "createWebhook",
    tag: "Webhooks",
    summary: "Register a webhook",
    description: `From now on, what happens to tasks is posted to your URL, an event a message, as [Standard Webhooks](https://www.standardwebhooks.com) has it: any of its libraries verifies it with the \`secret\` that this answers with, and that is not shown again.

**A message** is \`{"type": "task.<type>", "timestamp", "data"}\`, where \`data\` is the event as in the feed. \`webhook-id\` is \`evt_<taskId>_<seq>_<at>\`, with \`at\` in milliseconds since 1970: the same over all attempts, so that you can tell what you have seen. \`webhook-timestamp\` and \`webhook-signature\` are those of the attempt.

**Taken** is what you answer with any 2xx within 15 seconds. Anything else is tried again: ten attempts in all, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 13 h, 17 h and 20 h, each up to 5 % later, or later still where your \`Retry-After\` asks for it (a day at most). Redirects are not followed. At most five messages are on their way to one webhook at once. Messages may come more than once, and out of order after failures: go by \`seq\`.

**Disabled** is a webhook whose receiver answers 410, or that has failed all attempts of a delivery and has had no success since the first of them. \`disabled\` says why; enable it again with PATCH.

**Formats.** \`slack\`, \`teams\` (Workflows, an Adaptive Card) and \`discord\` post the task's title and what happened. A \`template\` replaces the text. Every value in a template is escaped, so that a task's text cannot mention anyone, add a link or format the message. In \`standard\`, the filter \`json\` writes a value as JSON, and \`escape_slack\`, \`escape_teams\` and \`escape_discord\` also escape for these services. The filter \`raw\` and the tags \`cycle\`, \`include\`, \`render\` and \`layout\` are rejected. If a template fails, renders too much, or in \`standard\` does not render JSON, the attempt fails with the reason. The content type is always \`application/json\`, and messages of every format are signed.

There can be 100 webhooks in total and 20 per key; for the root key, only the total applies. One slow receiver slows down nobody else.`,
    fields: { ...FILTERS, secret: SECRET },
    bodyExample: {
      url: "https://hooks.example.com/bosun",
      types: ["completed", "failed"],
      description: "Counts of words, for the ledger",
    },
    answers: [
      {
        status: 201,
        description: "The webhook is told of what happens from now on.",
        data: createdWebhook,
        example: CREATED_WEBHOOK,
        headers: { Location: "Where the webhook is read." },
      },
    ],
    codes: ["AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  },
  "GET /agents/webhooks/:id": {
    operationId: "getWebhook",
    tag: "Webhooks",
    summary: "Read a webhook",
    description: "A webhook, and how its deliveries fare.",
    parameters: { id },
    answers: [
      { status: 200, description: "The webhook.", data: webhookDetail, example: WEBHOOK_DETAIL },
    ],
    codes: ["WEBHOOK_NOT_FOUND"],
  },
  "PATCH /agents/webhooks/:id": {
    operationId: "updateWebhook",
    tag: "Webhooks",
    summary: "Change a webhook",
    description: `Changes what is named in the body, at least one field. Attempts that begin after the answer go by the new settings, those for earlier events included.

\`"enabled": false\` ends what is pending. \`"enabled": true\` begins with what happens from then on; what has happened meanwhile is in the feed, and what had come in can be delivered again.`,
    parameters: { id },
    fields: {
      ...FILTERS,
      types: "The types of events to be told of from now on; null for all.",
      agentId: "To be told of tasks that this agent has, and no others; null for all.",
      teamId: "To be told of tasks of this team, and no others; null for all.",
      template: "The new template; null for the format's default.",
      headers:
        "All extra headers from now on; null for none. If the webhook has headers, they are required with a `url` of another origin, because stored values are not sent there.",
      enabled: "Whether it is told of anything.",
    },
    bodyExample: { types: null, description: "All that happens to the counts" },
    answers: [
      {
        status: 200,
        description: "The webhook with the change.",
        data: webhook,
        example: UPDATED_WEBHOOK,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND", "AGENT_NOT_FOUND", "TEAM_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  },
  "DELETE /agents/webhooks/:id": {
    operationId: "deleteWebhook",
    tag: "Webhooks",
    summary: "Delete a webhook",
    description: "Deletes a webhook with its secret, what is pending and its delivery log.",
    parameters: { id },
    answers: [
      {
        status: 200,
        description: "The webhook is gone.",
        data: deletedWebhook,
        example: DELETED_WEBHOOK,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND"],
  },
  "POST /agents/webhooks/:id/secret": {
    operationId: "rotateWebhookSecret",
    tag: "Webhooks",
    summary: "Give a webhook a new secret",
    description: `Creates a new secret, or uses the given one, and returns it only once. For 24 hours, messages are also signed with the previous secret: each message has two signatures, so the receiver can switch at any time. \`createdBy\` does not change. The body is optional.`,
    parameters: { id },
    fields: { secret: SECRET },
    bodyExample: {},
    answers: [
      {
        status: 200,
        description: "The new secret signs from now on.",
        data: rotatedSecret,
        example: ROTATED_SECRET,
      },
    ],
    codes: ["WEBHOOK_NOT_FOUND", "WEBHOOK_LIMIT_REACHED"],
  },
  ...deliveryOperations,
};
