import * as z from "zod";

/**
 * Schemas for chat services' messages, reduced to the parts that Bosun uses. Limits are in
 * characters, or in bytes for the entire body.
 */

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object and blocks/section-block */
const SLACK = z.strictObject({
  text: z.string().min(1).max(40_000),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal("section"),
        text: z.strictObject({
          type: z.literal("mrkdwn"),
          text: z.string().min(1).max(3_000),
          verbatim: z.boolean(),
        }),
      }),
    )
    .min(1)
    .max(50),
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
});

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const TEAMS = z.strictObject({
  type: z.literal("message"),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
          type: z.literal("AdaptiveCard"),
          version: z.enum(["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]),
          body: z.array(
            z.strictObject({
              type: z.literal("TextBlock"),
              text: z.string().min(1),
              wrap: z.boolean(),
            }),
          ),
        }),
      }),
    )
    .length(1),
});
const TEAMS_BYTES_MAX = 28 * 1_000;

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const DISCORD = z.strictObject({
  content: z.string().min(1).max(2_000),
  allowed_mentions: z.strictObject({ parse: z.array(z.enum(["roles", "users", "everyone"])) }),
  flags: z.literal(4),
});

/** Returns the text of a message that the service accepts. Throws for any other body. */
export function textIn(format: "slack" | "teams" | "discord", body: string): string {
  const payload: unknown = JSON.parse(body);
  switch (format) {
    case "slack": {
      const { text, blocks } = SLACK.parse(payload);
      if (blocks[0]?.text.text !== text) throw new Error("The fallback text differs");
      if (!blocks[0].text.verbatim) throw new Error("Slack would add mentions and links");
      return text;
    }
    case "teams": {
      const bytes = new TextEncoder().encode(body).byteLength;
      if (bytes > TEAMS_BYTES_MAX)
        throw new Error(`Teams does not accept a message of ${bytes} bytes`);
      return TEAMS.parse(payload).attachments[0]?.content.body[0]?.text ?? "";
    }
    case "discord": {
      const { content, allowed_mentions: allowed } = DISCORD.parse(payload);
      if (allowed.parse.length > 0) throw new Error("Discord would mention people");
      return content;
    }
  }
}
