import type { Chart } from "../charts.ts";

/** A part of a document: its body is Markdown in which all texts of users are escaped. */
export interface Section {
  readonly heading: string;
  readonly body: string;
  readonly charts: readonly Chart[];
}

export function section(
  heading: string,
  blocks: readonly string[],
  charts: readonly Chart[] = [],
): Section[] {
  const body = blocks.filter((block) => block !== "").join("\n\n");
  return body === "" && charts.length === 0 ? [] : [{ heading, body, charts }];
}
