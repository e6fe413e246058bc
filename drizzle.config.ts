import type { Config } from "drizzle-kit";

export default {
  dialect: "sqlite",
  driver: "d1-http",
  schema: [
    "./src/platform/d1/schema.ts",
    "./src/platform/d1/governance-schema.ts",
    "./src/platform/d1/audit-schema.ts",
  ],
  out: "./migrations",
} satisfies Config;
