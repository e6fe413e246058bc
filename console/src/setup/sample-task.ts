import type { Schemas } from "../api/client.ts";

const REGIONS = ["North", "South", "East"] as const;
const DAYS = 30;

/** Sales of three regions: enough rows for a trend and for a comparison. */
function sampleTable(): string {
  const rows = Array.from({ length: DAYS }, (_, index) => {
    const region = REGIONS[index % REGIONS.length];
    return `${index + 1},${region},${20 + index + ((index * 7) % 11)}`;
  });
  return ["day,region,sold", ...rows].join("\n");
}

/** A task that the built-in agents complete without a model. */
export const SAMPLE_TASK: Schemas["CreateTaskBody"] = {
  task: "Analyse the sales of the three regions, and write a report with a chart",
  context: { csv: sampleTable() },
  deliverables: ["report", "chart"],
};
