import { expect, it } from "vitest";
import { ServiceLog } from "../../scripts/service-log.ts";

const TASK = "ab".repeat(32);

function format(...lines: readonly string[]): readonly string[] {
  const log = new ServiceLog();
  return lines.flatMap((line) => log.add(line));
}

it("a warning that Wrangler prints over several lines becomes one line", () => {
  const printed = [
    "\u001B[33m▲ \u001B[43;33m[\u001B[43;30mWARNING\u001B[43;33m]\u001B[0m \u001B[1m{\u001B[0m",
    "",
    "    event: 'llm_request_failed',",
    "    requestId: 'r-1',",
    `    taskId: '${TASK}',`,
    "    agentId: 'support',",
    "    error: 'no answer'",
    "  }",
    "",
  ];
  expect(format(...printed)).toEqual([
    "warning llm_request_failed error='no answer' agent=support task=abababababab request=r-1",
  ]);
});

it("the stack of an error follows its line", () => {
  const printed = [
    "✘ [ERROR] {",
    "    event: 'turn_failed',",
    "    error: Error: boom",
    "        at run (a.ts:1:1)",
    "  }",
  ];
  expect(format(...printed)).toEqual([
    "error turn_failed error=Error: boom",
    "        at run (a.ts:1:1)",
  ]);
});

it("other lines are printed unchanged, except for empty lines and Wrangler's own request lines", () => {
  const printed = ["one", "", "[wrangler:info] GET /health 200 OK (5ms)", "12:30:05Z task created"];
  expect(format(...printed)).toEqual(["one", "12:30:05Z task created"]);
});

it("output that interrupts a warning is printed after it", () => {
  const printed = ["✘ [ERROR] {", "    event: 'turn_failed',", "12:30:05Z task created", "next"];
  expect(format(...printed)).toEqual(["error turn_failed", "12:30:05Z task created", "next"]);
});

it("terminal escape sequences are removed from the output", () => {
  expect(format("a\u001B[2Jb\u001B]0;title\u0007c")).toEqual(["abc"]);
});
