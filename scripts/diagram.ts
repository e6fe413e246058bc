import { instance } from "@viz-js/viz";

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface Look {
  readonly label: string;
  readonly shape: string;
}

interface Graph {
  readonly nodes: ReadonlyMap<string, Look>;
  readonly edges: readonly Edge[];
}

/** One line of a label: as many words as fit into 24 characters, or a single longer word. */
const LABEL_LINE = /\S(?:.{0,22}\S)?(?=\s|$)|\S+/g;
/** The colour that Graphviz draws in. `drawDiagram` replaces it with `currentColor`. */
const INK = "#010203";
/** Graphviz knows the character widths of this font. */
const FONT = "Arial";
const FLOW = /^(?<from>.+?) -->(?:\|(?<label>[^|]+)\|)? (?<to>.+)$/;
const NODE = /^(?<name>\w+)(?:\[(?<round>\()?(?<label>[^\])]+)\)?\])?$/;
const TRANSITION = /^(?<from>\[\*\]|\w+) --> (?<to>\[\*\]|\w+)(?:: (?<label>.+))?$/;

const viz = await instance();

/**
 * Draws a Mermaid flowchart or state diagram as SVG, in the text colour of the page. Throws an error for a line that it
 * cannot read.
 */
export function drawDiagram(source: string): string {
  const [kind = "", ...lines] = source.trim().split(/\n\s*/);
  const { nodes, edges } = kind === "stateDiagram-v2" ? readStates(lines) : readFlow(lines);
  const svg = viz.renderString(
    {
      graphAttributes: { rankdir: "TB", bgcolor: "transparent", nodesep: 0.15, ranksep: 0.35 },
      nodeAttributes: { style: "rounded", color: INK, fontcolor: INK, fontname: FONT },
      edgeAttributes: { color: INK, fontcolor: INK, fontname: FONT, fontsize: 11 },
      nodes: [...nodes].map(([name, attributes]) => ({ name, attributes: { ...attributes } })),
      edges: edges.map(({ from, to, label }) => ({
        tail: from,
        head: to,
        attributes: label === "" ? {} : { label: wrap(label) },
      })),
    },
    { format: "svg" },
  );
  return svg
    .slice(svg.indexOf("<svg"))
    .replaceAll(/ id="[^"]*"/g, "")
    .replaceAll(/<title>[^]*?<\/title>\n?|<!--[^]*?-->\n?/g, "")
    .replaceAll(INK, "currentColor");
}

function readFlow(lines: readonly string[]): Graph {
  const nodes = new Map<string, Look>();
  /** Reads nodes such as `task[Task] & r2[(R2)]` and returns their names. A node's first occurrence has its label. */
  const read = (text: string): string[] =>
    text.split(" & ").map((part) => {
      const group = readLine(NODE, part);
      const name = group("name");
      if (!nodes.has(name)) {
        const shape = group("round") === "" ? "box" : "cylinder";
        nodes.set(name, { label: wrap(group("label")), shape });
      }
      return name;
    });
  const edges = lines.flatMap((line) => {
    const group = readLine(FLOW, line);
    const tails = read(group("from"));
    const heads = read(group("to"));
    const label = group("label");
    return tails.flatMap((from) => heads.map((to) => ({ from, to, label })));
  });
  return { nodes, edges };
}

/** In a transition, `[*]` on the left is the start, and `[*]` on the right is the end. */
function readStates(lines: readonly string[]): Graph {
  const edges = lines.map((line) => {
    const group = readLine(TRANSITION, line);
    const [from, to, label] = [group("from"), group("to"), group("label")];
    return { from: from === "[*]" ? "start" : from, to: to === "[*]" ? "end" : to, label };
  });
  const names = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const nodes = [...names].map((name): [string, Look] => [name, stateLook(name)]);
  return { nodes: new Map(nodes), edges };
}

function stateLook(name: string): Look {
  switch (name) {
    case "start":
      return { label: "", shape: "point" };
    case "end":
      return { label: "", shape: "doublecircle" };
    default:
      return { label: name, shape: "box" };
  }
}

/** The named groups of a line. Absent groups are empty strings. */
function readLine(pattern: RegExp, line: string): (name: string) => string {
  const groups = pattern.exec(line)?.groups;
  if (groups === undefined) throw new Error(`Cannot draw this line of a diagram: ${line}`);
  return (name) => groups[name] ?? "";
}

/** Breaks a label into lines, which Graphviz does not do. Spaces keep the text away from the edge. */
function wrap(text: string): string {
  const lines = text.split("<br>").flatMap((part) => part.match(LABEL_LINE) ?? []);
  return lines.map((line) => ` ${line} `).join("\n");
}
