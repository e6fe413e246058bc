import type { FeedEvent } from "../domain/feed.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import {
  DISCORD_CONTENT_CHARACTERS_MAX,
  SLACK_TEXT_CHARACTERS_MAX,
  TEAMS_TEXT_CHARACTERS_MAX,
} from "../domain/limits.ts";
import { cut } from "../domain/text.ts";
import type { ChatFormat } from "../domain/webhook.ts";

/** What posting to one chat service takes. */
export interface ChatService {
  /** The template of a webhook that has none of its own. */
  readonly preset: string;
  /** A value as the service shows it literally: no mention, no link, no markup. */
  readonly escape: (value: string) => string;
  /** The message as the service accepts it; the text is cut to what it allows. */
  readonly payload: (text: string) => JsonObject;
}

const ZERO_WIDTH_SPACE = "\u200B";
/** Discord: only SUPPRESS_EMBEDS, so that no link in a message becomes a preview. */
const SUPPRESS_EMBEDS = 1 << 2;

/**
 * Slack incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * `verbatim` keeps Slack from turning names and addresses into mentions and links.
 */
const slack: ChatService = {
  preset: "*{{ title }}*\n{{ text }}",
  escape(value) {
    const entities = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    // A delimiter formats only where text follows it directly; one within a word never does.
    return entities.replaceAll(
      /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
      `$&${ZERO_WIDTH_SPACE}`,
    );
  },
  payload(all) {
    // Half of an entity at the cut would be shown as it is.
    const text = cut(all, SLACK_TEXT_CHARACTERS_MAX).replace(/&\w{0,3}…$/, "…");
    const section = { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
    return { text, blocks: [section], unfurl_links: false, unfurl_media: false };
  },
};

/**
 * Teams, "Post to a channel when a webhook request is received" (Workflows): one Adaptive Card,
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using.
 * Without `msteams.entities` a card mentions nobody.
 */
const teams: ChatService = {
  preset: "**{{ title }}**\n\n{{ text }}",
  escape: (value) => withBackslashes(value, /[\\`*_~#[\]()<>|]/g),
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
          body: [{ type: "TextBlock", text: cut(text, TEAMS_TEXT_CHARACTERS_MAX), wrap: true }],
        },
      },
    ],
  }),
};

/** Discord, Execute Webhook: https://discord.com/developers/docs/resources/webhook#execute-webhook. */
const discord: ChatService = {
  preset: "**{{ title }}**\n{{ text }}",
  // A colon before other text begins an emoji or is part of an address, which would become a link.
  escape: (value) => withBackslashes(value, /[\\`*_~|#[\]()<>@]|:(?=\S)/g),
  payload: (text) => ({
    content: cut(text, DISCORD_CONTENT_CHARACTERS_MAX),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }),
};

export const CHAT_SERVICES: Readonly<Record<ChatFormat, ChatService>> = { slack, teams, discord };

/** What an event says of its task, in a sentence for people. */
export function sentenceOf({ type, data }: Pick<FeedEvent, "type" | "data">): string {
  switch (type) {
    case "completed":
      return withReason("The task is completed", summaryIn(data));
    case "submitted":
      return withReason("The task is ready for review", summaryIn(data));
    case "failed":
      return withReason("The task failed", textAt(data["error"], "message"));
    case "blocked":
      return withReason("The task is blocked", textAt(data, "question"));
    case "cancelled":
      return withReason("The task was cancelled", textAt(data, "reason"));
    case "declined":
      return withReason("The agent declined the task", textAt(data, "reason"));
    case "progressed":
      return withReason(`The task is ${String(data["progress"])} % done`, textAt(data, "phase"));
    case "changes_requested":
      return withReason("Changes were requested", textAt(data, "comment"));
    case "approved":
      return withReason("The work was approved", textAt(data, "comment"));
    case "created":
      return "The task was created.";
    case "assigned":
      return "The task was assigned.";
    case "started":
      return "The agent started the task.";
    case "resumed":
      return "The agent resumed the task.";
    case "responded":
      return "The agent's question was answered.";
    case "retried":
      return "The task is tried again.";
    case "updated":
      return "The task was changed.";
    case "rated":
      return "The task was rated.";
  }
}

function summaryIn({ result = null }: JsonObject): string | null {
  return textAt(result, "summary");
}

function textAt(value: Json | undefined, name: string): string | null {
  const text = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : null;
  return typeof text === "string" && text !== "" ? text : null;
}

function withReason(sentence: string, reason: string | null): string {
  return reason === null ? `${sentence}.` : `${sentence}: ${reason}`;
}

/** Markdown: marks anywhere, and what begins a list at the start of a line. */
function withBackslashes(value: string, marks: RegExp): string {
  return value
    .replaceAll(marks, String.raw`\$&`)
    .replaceAll(/^(\s*)([-+])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d+)([.)])/gm, String.raw`$1\$2`);
}
