import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const messageComposer: ToolDefinition = {
  id: "message-composer",
  name: "Message composer",
  category: "communication",
  description:
    "Writes messages: fills a Liquid template with values, and turns Markdown into HTML or plain text for mail and chat.",
  documentation: "https://liquidjs.com/tutorials/intro-to-liquid.html",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 200, period: "hour" },
  pricing: { model: "usage", free: 500, overage: 0.005 },
  capabilities: [
    {
      id: "render-template",
      name: "Render template",
      description:
        "Renders a Liquid template with the given values. The first 200 names without a value are listed in missing.",
      parameters: defineParameters({
        "template: string":
          "Liquid template, at most 100,000 characters; include, render, layout and block are refused.",
        "values: object": "The values of the template's names; only own properties are read.",
        "format?: string":
          'The format of the result: "text" (default), or "html", which escapes every value that is not piped through raw.',
      }),
    },
    {
      id: "markdown-to-html",
      name: "Markdown to HTML",
      description:
        "Renders CommonMark with tables and strikethrough to an HTML fragment, or with a title to a whole page.",
      parameters: defineParameters({
        "markdown: string":
          "Markdown, at most 100,000 characters; raw HTML is shown as text, and links with unsafe schemes stay text.",
        "title?: string":
          "Makes the result a whole HTML page with this title, at most 300 characters.",
      }),
    },
    {
      id: "markdown-to-text",
      name: "Markdown to text",
      description:
        "Renders Markdown to plain text for readers without HTML: links keep their addresses, and tables are laid out in columns.",
      parameters: defineParameters({
        "markdown: string": "Markdown, at most 100,000 characters.",
        "wrap?: number":
          "The maximum length of a line, a whole number of columns from 20 to 200; by default, lines are not wrapped.",
      }),
    },
  ],
};
