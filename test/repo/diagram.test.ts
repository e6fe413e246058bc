import { expect, it } from "vitest";
import { drawDiagram } from "../../scripts/diagram.ts";

/** The text labels of a drawing, in document order. */
function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)]
    .map(([, text = ""]) => text.replaceAll("&#160;", " ").trim())
    .filter((text) => text !== "");
}

function countOf(svg: string, part: string): number {
  return svg.split(part).length - 1;
}

it("a flow chart is drawn with its labels, one arrow for each pair of nodes, and a cylinder for a database", () => {
  const svg = drawDiagram(
    "flowchart LR\n    worker[Worker] & task[TaskObject<br>one per task] -->|files| r2[(R2)]\n    r2 --> worker\n",
  );
  expect(textsOf(svg).toSorted()).toEqual(
    ["Worker", "TaskObject", "one per task", "R2", "files", "files"].toSorted(),
  );
  expect(countOf(svg, 'class="node"')).toBe(3);
  expect(countOf(svg, 'class="edge"')).toBe(3);
});

it("a state diagram is drawn with a start, an end and the label of each transition", () => {
  const svg = drawDiagram(
    "stateDiagram-v2\n    [*] --> pending: create\n    pending --> failed: a very long label that needs two lines\n    failed --> [*]\n",
  );
  expect(textsOf(svg)).toEqual(
    expect.arrayContaining([
      "pending",
      "failed",
      "create",
      "a very long label that",
      "needs two lines",
    ]),
  );
  expect(countOf(svg, 'class="node"')).toBe(4);
});

it("a drawing has the colour of the page's text and no style that the page's policy forbids", () => {
  const svg = drawDiagram("flowchart LR\n    a[A] --> b[B]");
  expect(svg).toContain('stroke="currentColor"');
  expect(svg).not.toMatch(/style=|<style|<script|#010203/);
});

it("a line that cannot be drawn is an error", () => {
  expect(() => drawDiagram("flowchart LR\n    a[A] -.-> b[B]")).toThrow(
    "Cannot draw this line of a diagram: a[A] -.-> b[B]",
  );
});
