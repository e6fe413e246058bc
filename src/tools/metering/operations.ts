import * as z from "zod";
import { defineOperation, respond } from "../../http/operation.ts";
import { USAGE_ROWS_MAX, USAGE_TOOLS_MAX } from "../limits.ts";
import { overviewQuery, usageOverviewSchema } from "./overview-schemas.ts";

export const usageOperations = {
  /** GET /agents/usage */
  getUsage: defineOperation({
    operationId: "getUsage",
    tag: "Tools",
    scope: "tools:read",
    query: overviewQuery,
    summary: "Read the usage of all tools",
    description: `Returns calls, failures and cost by day (UTC), agent or tool. The figures add up the usage of all tools, including those that were retired during or after the period. Failed calls are included and cost nothing; rejected calls are not included. The costs of language models are not included; each task reports its own.

A key bound to an agent or a team sees the same tools and calls as in each tool's usage.

**Large reports.** A response covers at most ${USAGE_TOOLS_MAX} tools and ${USAGE_ROWS_MAX} rows. If \`groupBy\` includes \`tool\`, \`nextCursor\` continues with the next tools. Otherwise, a larger report gets 400, because its sums would be incomplete.

**Incomplete reports.** If a tool's meter does not respond, its id is in \`missing\` and the response has a warning. As CSV, such a report gets 503.

**CSV.** With \`Accept: text/csv\` or \`format=csv\`, the rows are a file with the columns of \`groupBy\`, \`calls\`, \`failed\`, \`cost\` and \`durationMs\`. If there are more rows, the \`Link\` header has the URL of the next page.`,
    headers: {
      Accept: { description: "`text/csv` to receive the rows as CSV.", example: "text/csv" },
    },
    responses: [
      respond(200, "The usage.", usageOverviewSchema, {
        content: { "text/csv": { schema: z.string() } },
        headers: { Vary: "`Accept`." },
      }),
    ],
  }),
};
