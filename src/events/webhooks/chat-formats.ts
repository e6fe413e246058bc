import type { FeedEvent, FeedEventType } from "../model/feed.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import {
  DISCORD_CONTENT_CHARACTERS_MAX,
  SLACK_TEXT_CHARACTERS_MAX,
  TEAMS_TEXT_CHARACTERS_MAX,
} from "../limits.ts";
import { sanitizeText } from "../../kernel/text.ts";
import type { ChatFormat } from "../model/webhook.ts";

/** How to post messages to a chat service. */
export interface ChatService {
  readonly defaultTemplate: string;
  /** Escapes a value so that the service shows it literally, without mentions, links or markup. */
  readonly escape: (value: string) => string;
  /** The message in the service's format. The text is truncated to the service's limit. */
  readonly payload: (text: string) => JsonObject;
}

const ZERO_WIDTH_SPACE = "\u200B";
/** Discord's SUPPRESS_EMBEDS flag, which prevents previews of the links in a message. */
const SUPPRESS_EMBEDS = 1 << 2;

/**
 * Slack incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * `verbatim` keeps Slack from turning names and addresses into mentions and links.
 */
const slack: ChatService = {
  defaultTemplate: "*{{ title }}*\n{{ text }}",
  escape(value) {
    const entities = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    // A delimiter takes effect only directly before text, and never within a word.
    return entities.replaceAll(
      /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
      `$&${ZERO_WIDTH_SPACE}`,
    );
  },
  payload(all) {
    // Remove a truncated entity at the end, which would be shown literally.
    const text = sanitizeText(all, SLACK_TEXT_CHARACTERS_MAX).replace(/&\w{0,3}…$/, "…");
    const section = { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
    return { text, blocks: [section], unfurl_links: false, unfurl_media: false };
  },
};

/**
 * The Teams workflow "Post to a channel when a webhook request is received" expects one Adaptive Card:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. Without
 * `msteams.entities`, a card contains no mentions.
 */
const teams: ChatService = {
  defaultTemplate: "**{{ title }}**\n\n{{ text }}",
  escape: (value) => escapeMarkdown(value, /[\\`*_~#[\]()<>|]/g),
  payload: (text) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            { type: "TextBlock", text: sanitizeText(text, TEAMS_TEXT_CHARACTERS_MAX), wrap: true },
          ],
        },
      },
    ],
  }),
};

/** Discord's Execute Webhook: https://discord.com/developers/docs/resources/webhook#execute-webhook. */
const discord: ChatService = {
  defaultTemplate: "**{{ title }}**\n{{ text }}",
  // A colon directly before text can start an emoji or be part of a URL that becomes a link.
  escape: (value) => escapeMarkdown(value, /[\\`*_~|#[\]()<>@]|:(?=\S)/g),
  payload: (text) => ({
    content: sanitizeText(text, DISCORD_CONTENT_CHARACTERS_MAX),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }),
};

export const CHAT_SERVICES: Readonly<Record<ChatFormat, ChatService>> = { slack, teams, discord };

/** A human-readable sentence that describes an event. */
export function describeEvent({ type, data }: Pick<FeedEvent, "type" | "data">): string {
  return SENTENCES[type](data);
}

const SENTENCES: Readonly<Record<FeedEventType, (data: JsonObject) => string>> = {
  created: () => "The task was created.",
  assigned: () => "The task was assigned.",
  declined: (data) => withReason("The agent declined the task", readText(data, "reason")),
  started: () => "The agent started the task.",
  resumed: () => "The agent resumed the task.",
  progressed: (data) =>
    withReason(`The task is ${String(data["progress"])}% done`, readText(data, "phase")),
  blocked: (data) => withReason("The task is blocked", readText(data, "question")),
  responded: () => "The agent's question was answered.",
  submitted: (data) => withReason("The task is ready for review", readSummary(data)),
  approved: (data) => withReason("The work was approved", readText(data, "comment")),
  changes_requested: (data) => withReason("Changes were requested", readText(data, "comment")),
  completed: (data) => withReason("The task is completed", readSummary(data)),
  failed: (data) => withReason("The task failed", readText(data["error"], "message")),
  cancelled: (data) => withReason("The task was cancelled", readText(data, "reason")),
  retried: () => "The task was retried.",
  updated: () => "The task was changed.",
  rated: () => "The task was rated.",
  call_stored: (data) =>
    withReason("The agent's call waits for approval", readText(data, "capability")),
  call_settled: (data) => readText(data, "message") ?? "The approval of a call was settled.",
  "approval.requested": (data) =>
    withReason("The call waits for approval", readText(data, "reason")),
  "approval.decided": (data) =>
    withReason(
      `The call that requires approval was ${readText(data, "status") ?? "decided"}`,
      readText(data, "message"),
    ),
  "approval.executed": (data) =>
    data["status"] === "executed"
      ? "The approved call was made."
      : withReason("The approved call failed", readText(data["error"], "message")),
  "limit.warned": (data) => `The use of the limit has reached ${describeUse(data)}.`,
  "limit.exceeded": (data) => `The limit did not allow a call, with a use of ${describeUse(data)}.`,
};

/** The use of a limit, as in `$8 of $10 per day` and `3 of 5 calls per month`. */
function describeUse({ used = 0, limit = 0, measure = "", per = "" }: JsonObject): string {
  const amount =
    measure === "usd"
      ? `$${String(used)} of $${String(limit)}`
      : `${String(used)} of ${String(limit)} ${String(measure)}`;
  return per === "total" ? `${amount} in total` : `${amount} per ${String(per)}`;
}

function readSummary({ result = null }: JsonObject): string | null {
  return readText(result, "summary");
}

function readText(value: Json | undefined, name: string): string | null {
  const text = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : null;
  return typeof text === "string" && text !== "" ? text : null;
}

function withReason(sentence: string, reason: string | null): string {
  return reason === null ? `${sentence}.` : `${sentence}: ${reason}`;
}

/** Escapes Markdown: `marks` anywhere in the text, and list markers at the start of a line. */
function escapeMarkdown(value: string, marks: RegExp): string {
  return value
    .replaceAll(marks, String.raw`\$&`)
    .replaceAll(/^(\s*)([-+])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d+)([.)])/gm, String.raw`$1\$2`);
}
