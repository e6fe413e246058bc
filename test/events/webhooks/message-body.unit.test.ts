import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FEED_EVENT_TYPES } from "../../../src/events/model/feed.ts";
import type { FeedEvent } from "../../../src/events/model/feed.ts";
import { WEBHOOK_BODY_CHARACTERS_MAX } from "../../../src/events/limits.ts";
import { CHAT_FORMATS } from "../../../src/events/model/webhook.ts";
import { renderBody, type BodySettings } from "../../../src/events/webhooks/message-body.ts";
import { buildMessageContent } from "../../../src/events/webhooks/message-content.ts";
import { describeEvent } from "../../../src/events/webhooks/chat-formats.ts";
import { findBodyTemplateProblem } from "../../../src/events/webhooks/body-template.ts";
import { textIn } from "./chat-payloads.ts";

const FAILED: FeedEvent = {
  taskId: "ab".repeat(32),
  seq: 7,
  type: "failed",
  at: "2026-11-23T03:00:00.000Z",
  agentId: "word-counter",
  teamId: null,
  title: "Count the words",
  data: { error: { code: "TOOL_ERROR", message: "The tool did not answer.", retryable: true } },
};

/** Property tests take a hundred times as long as a single example. */
const LONG_TIMEOUT = { timeout: 30_000 };

const bodyFor = (of: BodySettings, event: FeedEvent = FAILED) =>
  renderBody(of, buildMessageContent(event));

async function written(of: BodySettings, event: FeedEvent = FAILED): Promise<string> {
  const body = await bodyFor(of, event);
  if (!body.ok) throw new Error(body.failure);
  return body.value;
}

const standard = (template: string): BodySettings => ({ format: "standard", template });

describe("a message without a template", () => {
  it("a standard message without a template is the event with its task's title", async () => {
    const { agentId, teamId: _none, ...rest } = FAILED;
    expect(JSON.parse(await written({ format: "standard", template: null }))).toEqual({
      type: "task.failed",
      timestamp: FAILED.at,
      data: { ...rest, agentId },
    });
  });

  it.each(CHAT_FORMATS)(
    "a %s message without a template names the task and what happened",
    async (format) => {
      const text = textIn(format, await written({ format, template: null }));
      expect(text).toMatch(/^\*+Count the words\*+\n+The task failed: The tool did not answer\.$/);
    },
  );

  it.each(CHAT_FORMATS)(
    "a %s message without a template is valid for every type of event",
    async (format) => {
      for (const type of FEED_EVENT_TYPES) {
        const event = { ...FAILED, type, data: {} };
        expect(textIn(format, await written({ format, template: null }, event))).toContain("Count");
        expect(describeEvent(event)).toMatch(/^(?:The|Changes) .*\.$/);
      }
    },
  );

  it.each(CHAT_FORMATS)(
    "a %s message from a template is truncated to the service's limit",
    LONG_TIMEOUT,
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom("<", "\\", '"', "麦", "🫐", "*", "word ", "\u0001"),
          fc.integer({ min: 0, max: 20_000 }),
          async (unit, count) => {
            const data = { error: { message: unit.repeat(count) } };
            const event = { ...FAILED, data, title: unit.repeat(200) };
            const template = "{{ data.title }}: {{ text }}";
            expect(textIn(format, await written({ format, template }, event))).not.toBe("");
          },
        ),
        { numRuns: 30 },
      );
    },
  );
});

describe("a task's text in a message", () => {
  const HOSTILE = [
    "<!channel> <!here> <@U012AB3CD> <https://evil.example|click>",
    "@everyone @here <@123456789012345678> <@&1> <#1> <t:0:R> :smile:",
    "[click](https://evil.example) ![x](https://evil.example) https://evil.example",
    "# head\n> quote\n- item\n1. one\n**bold** _it_ ~~s~~ `code` ||spoiler||",
    "&lt;!channel&gt; \\<!channel\\> \\\\@everyone",
    "<at>everyone</at>",
  ].join("\n");
  const hostile = { ...FAILED, title: HOSTILE, data: { error: { message: HOSTILE } } };
  const TEMPLATES = [
    null,
    "{{ title }} {{ text }} {{ data.data.error.message }}",
    "{% echo title %}{% assign t = title | append: text %}{{ t }}{% capture c %}{{ title }}{% endcapture %}{{ c }}",
    "{% liquid\n echo title\n echo data.data.error.message | upcase %}",
    "{{ data.data | json }}{{ data }}",
    "{% for line in data.data.error %}{{ line }}{% endfor %}",
  ];

  it.each(TEMPLATES)(
    "a task's text cannot mention anyone or add a link in Slack: %s",
    async (template) => {
      const text = textIn("slack", await written({ format: "slack", template }, hostile));
      expect(text).toMatch(/channel/i);
      expect(text).not.toMatch(/[<>]/);
      expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
    },
  );

  it.each(TEMPLATES)(
    "a task's text cannot mention anyone or add markup in Discord: %s",
    async (template) => {
      const all = textIn("discord", await written({ format: "discord", template }, hostile));
      const text = all.replace(/^\*\*/, "").replace(/\*\*\n(?=The task failed)/, "\n");
      expect(text).toMatch(/everyone/i);
      // A markup character is unescaped if an even number of backslashes precedes it.
      expect(text).not.toMatch(/(?<!\\)(?:\\\\)*(?:[`*_~|#[\]()<>@]|:(?=\S))/);
    },
  );

  it.each(TEMPLATES)("a task's text adds no markup or link in Teams: %s", async (template) => {
    const all = textIn("teams", await written({ format: "teams", template }, hostile));
    const text = all.replace(/^\*\*/, "").replace(/\*\*\n\n(?=The task failed)/, "\n");
    expect(text).toMatch(/everyone/i);
    expect(text).not.toMatch(/(?<!\\)(?:\\\\)*[`*_~#[\]()<>|]/);
  });

  it(
    "a task's text cannot end the JSON string that a standard template puts it into",
    LONG_TIMEOUT,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary" }), async (message) => {
          const event = { ...FAILED, title: message, data: { error: { message } } };
          const body = await written(
            standard('{"a": "{{ title }}", "b": {{ data.data.error.message | json }}}'),
            event,
          );
          expect(JSON.parse(body)).toEqual({ a: message, b: message });
        }),
        { numRuns: 50 },
      );
    },
  );

  it("a filter in a standard template escapes a task's text for a chat service", async () => {
    const body = await written(standard('{"text": "{{ title | escape_slack }}"}'), hostile);
    expect(JSON.parse(body).text).not.toMatch(/[<>]/);
  });
});

describe("a template", () => {
  it("a template can read the message and branch on the type of event", async () => {
    const template =
      '{"{% if type == "task.failed" %}alert{% else %}note{% endif %}": "{{ title }}", "seq": {{ data.seq }}, "at": "{{ timestamp }}"}';
    expect(JSON.parse(await written(standard(template)))).toEqual({
      alert: "Count the words",
      seq: 7,
      at: FAILED.at,
    });
  });

  it.each([
    ["{{ title", /^cannot be rendered: .*\(line 1, column 1\)$/],
    ["\n  {% if x %}", /\(line 2, column 3\)$/],
    ["{{ title | nonsense }}", /undefined filter: nonsense.*\(line 1, column/],
    ["{{ title | raw }}", /undefined filter: raw/],
    ["{% cycle title, text %}", /cycle.*without escaping/],
    ["{% include 'x' %}", /include.*cannot be used/],
    ["{% nonsense %}", /nonsense/],
  ])("an invalid template is rejected with the position of the error: %s", (template, problem) => {
    for (const format of ["standard", ...CHAT_FORMATS] as const) {
      expect(findBodyTemplateProblem(format, template) ?? "none").toMatch(problem);
    }
  });

  it.each([
    "{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}",
    "{% for i in (1..60000) %}x{% endfor %}",
    "{% for i in (1..30000) %}{{ data.data.error.message }}{% endfor %}",
    `{% assign a = title | split: "" %}{% for i in (1..100000) %}{% assign b = a | sort | reverse | join %}{% endfor %}`,
  ])("a template that takes too much work to render fails: %s", async (template) => {
    const body = await bodyFor({ format: "slack", template });
    expect(body).toEqual({ ok: false, failure: expect.stringMatching(/too much work|more than/) });
  });

  it("a template that lists the fields of an event lists only fields with a value", async () => {
    const template = "{% for field in data %}{{ field[0] }} {% endfor %}";
    const text = textIn("slack", await written({ format: "slack", template }));
    expect(text).toBe("taskId seq type at agentId title data");
  });

  it("a template that renders more than the maximum fails", async () => {
    const message = "x".repeat(60_000);
    const event = { ...FAILED, data: { error: { message } } };
    const body = await bodyFor(standard(`"${"{{ data.data.error.message }}".repeat(6)}"`), event);
    expect(body).toEqual({
      ok: false,
      failure: `The template renders more than ${WEBHOOK_BODY_CHARACTERS_MAX} characters.`,
    });
  });

  it.each(["{{ title }}", '{"a": {{ missing }}}', ""])(
    "a standard template that does not render JSON fails: %s",
    async (template) => {
      const body = await bodyFor(standard(template));
      expect(body).toEqual({ ok: false, failure: expect.stringContaining("did not render JSON") });
    },
  );

  it("a template that renders no text for a chat service fails", async () => {
    const body = await bodyFor({ format: "discord", template: " {{ missing }}\n" });
    expect(body).toEqual({ ok: false, failure: expect.stringContaining("rendered no text") });
  });
});
