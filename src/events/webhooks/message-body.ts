import { tryParseJson } from "../../kernel/json.ts";
import { WEBHOOK_BODY_CHARACTERS_MAX } from "../limits.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { sanitizeText } from "../../kernel/text.ts";
import type { ClientFormat, Webhook, WebhookFormat } from "../model/webhook.ts";
import { CHAT_SERVICES } from "./chat-formats.ts";
import type { MessageContent } from "./message-content.ts";

/** The settings that determine the body of a webhook's messages. */
export type BodySettings = Pick<Webhook, "template"> & { readonly format: ClientFormat };

/** The format of a client's webhook. Not called for A2A webhooks. */
export function toClientFormat(format: WebhookFormat): ClientFormat {
  return format === "a2a" ? "standard" : format;
}

/**
 * The JSON body of a message. The failure consists of complete sentences. Liquid is loaded only for a body that comes
 * from a template.
 */
export async function renderBody(
  { format, template }: BodySettings,
  content: MessageContent,
): Promise<Result<string, string>> {
  if (format === "standard" && template === null) {
    const { type, timestamp, data } = content;
    return ok(JSON.stringify({ type, timestamp, data }));
  }
  const { renderBodyTemplate } = await import("./body-template.ts");
  const service = format === "standard" ? null : CHAT_SERVICES[format];
  const source = template ?? service?.defaultTemplate ?? "";
  const rendered = renderBodyTemplate(format, source, content);
  if (!rendered.ok) return fail(`The template ${rendered.failure}.`);
  if (service === null) {
    return tryParseJson(rendered.value) === undefined
      ? fail(
          `The template did not render JSON, so nothing was sent. It rendered ${preview(rendered.value)}.`,
        )
      : rendered;
  }
  const text = sanitizeText(rendered.value, WEBHOOK_BODY_CHARACTERS_MAX);
  if (text === "") return fail("The template rendered no text, so nothing was sent.");
  return ok(JSON.stringify(service.payload(text)));
}
