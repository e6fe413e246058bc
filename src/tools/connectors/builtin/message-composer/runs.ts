import type { Runs } from "../contract.ts";
import { markdownToHtml } from "./markdown-to-html.ts";
import { markdownToText } from "./markdown-to-text.ts";
import { renderTemplate } from "./render-template.ts";

export const runs: Runs = {
  "render-template": renderTemplate,
  "markdown-to-html": markdownToHtml,
  "markdown-to-text": markdownToText,
};
