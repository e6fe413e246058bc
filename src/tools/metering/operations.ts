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
    summary: "Read the usage of all tools, models and agents",
    description: `Returns calls, failures and cost by day (UTC), agent, tool, team, key or label. The figures add up the usage of all tools, including those that were retired during or after the period. Failed calls are included and cost nothing; rejected calls are not included.

The cost includes that of language models and of agents' work (their prices, and the costs that workers report). It is taken from the tasks, as of each task's last change other than progress, and is lost when a task is deleted (\`TASK_RETENTION_DAYS\`).

Usage of a task counts for the task's team, for the key that created the task, and for each of its labels. Without a task, a call counts for the calling key and its team.

A key bound to an agent or a team sees the same tools and calls as in each tool's usage, and the costs of the same agents and teams. It cannot group by \`key\`.

**Large reports.** A response covers at most ${USAGE_TOOLS_MAX} tools and ${USAGE_ROWS_MAX} rows. If \`groupBy\` includes \`tool\`, \`nextCursor\` continues with the next tools. Otherwise, a larger report gets 400, because its sums would be incomplete.

**Incomplete reports.** If a tool's meter does not respond, its id is in \`missing\` and the response has a warning. As CSV, such a report gets 503.

**CSV.** With \`Accept: text/csv\` or \`format=csv\`, the rows are a file with the columns of \`groupBy\`, \`calls\`, \`failed\`, \`cost\`, \`durationMs\`, \`modelCost\`, \`agentCost\`, \`inputTokens\` and \`outputTokens\`. If there are more rows, the \`Link\` header has the URL of the next page.`,
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
