import type { FeedEvent } from "../domain/feed.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import {
  DISCORD_CONTENT_CHARACTERS_MAX,
  SLACK_TEXT_CHARACTERS_MAX,
  TEAMS_TEXT_CHARACTERS_MAX,
} from "../domain/limits.ts";
import { cut } from "../domain/text.ts";
import type { ChatFormat } from "../domain/webhook.ts";

/** How to post to a chat service. */
export interface ChatService {
  /** The default template. */
  readonly preset: string;
  /** Escapes a value so that the service shows it literally, without mentions, links or markup. */
  readonly escape: (value: string) => string;
  /** The message in the service's format. The text is truncated to the service's limit. */
  readonly payload: (text: string) => JsonObject;
}

const ZERO_WIDTH_SPACE = "\u200B";
/** Discord's flag SUPPRESS_EMBEDS: links in a message get no preview. */
const SUPPRESS_EMBEDS = 1 << 2;

/**
 * Slack incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * `verbatim` keeps Slack from turning names and addresses into mentions and links.
 */
const slack: ChatService = {
  preset: "*{{ title }}*\n{{ text }}",
  escape(value) {
    const entities = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    // A delimiter formats only if text follows it directly, and never within a word.
    return entities.replaceAll(
      /[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
      `$&${ZERO_WIDTH_SPACE}`,
    );
  },
  payload(all) {
    // Remove a truncated entity at the end, which would be shown literally.
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
  // A colon directly before text can begin an emoji or be part of an address that becomes a link.
  escape: (value) => withBackslashes(value, /[\\`*_~|#[\]()<>@]|:(?=\S)/g),
  payload: (text) => ({
    content: cut(text, DISCORD_CONTENT_CHARACTERS_MAX),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }),
};

export const CHAT_SERVICES: Readonly<Record<ChatFormat, ChatService>> = { slack, teams, discord };

/** A sentence for people that describes an event. */
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
      return "The task was retried.";
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

/** Escapes Markdown: marks anywhere, and list markers at the start of a line. */
function withBackslashes(value: string, marks: RegExp): string {
  return value
    .replaceAll(marks, String.raw`\$&`)
    .replaceAll(/^(\s*)([-+])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d+)([.)])/gm, String.raw`$1\$2`);
}
