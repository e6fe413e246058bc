import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

export const messageComposer: ToolDefinition = {
  id: "message-composer",
  name: "Message composer",
  category: "communication",
  description:
    "Composes messages: renders Liquid templates, and converts Markdown to HTML or plain text for email and chat.",
  documentation: "https://liquidjs.com/tutorials/intro-to-liquid.html",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 200, period: "hour" },
  pricing: { model: "usage", free: 500, overage: 0.005 },
  capabilities: [
    {
      id: "render-template",
      name: "Render template",
      description:
        'Renders a Liquid template with values. The first 200 names without a value are listed in "missing".',
      parameters: defineParameters({
        "template: string":
          "A Liquid template of at most 100,000 characters. The include, render, layout and block tags are rejected.",
        "values: object":
          "The values for the names in the template. Inherited properties are ignored.",
        "format?: string":
          'The output format: "text" (the default) or "html", which escapes every value that is not piped through raw.',
      }),
    },
    {
      id: "markdown-to-html",
      name: "Markdown to HTML",
      description:
        "Renders CommonMark with tables and strikethrough as an HTML fragment, or as a complete page if a title is set.",
      parameters: defineParameters({
        "markdown: string":
          "Markdown, at most 100,000 characters. Raw HTML and links with unsafe schemes are shown as text.",
        "title?: string": "Returns a complete HTML page with this title, at most 300 characters.",
      }),
    },
    {
      id: "markdown-to-text",
      name: "Markdown to text",
      description:
        "Renders Markdown as plain text for email and chat clients without HTML. Links keep their URLs, and tables are laid out in columns.",
      parameters: defineParameters({
        "markdown: string": "Markdown, at most 100,000 characters.",
        "wrap?: number":
          "The maximum line length, from 20 to 200 characters. By default, lines are not wrapped.",
      }),
    },
  ],
};
