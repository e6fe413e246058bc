import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { workerOptionsOf } from "../scripts/proof/worker-options.ts";

const SOURCE = join(import.meta.dirname, "workers", "counting.ts");

/**
 * Adds an entry module that counts platform calls to a bundle's folder, and returns the names of the bundle's
 * modules.
 */
export function countingModules(bundle: string, config: string): string[] {
  const classes = Object.values(workerOptionsOf(config).durableObjects ?? {}).map((one) =>
    typeof one === "string" ? one : one.className,
  );
  const lines = [
    `import worker, * as all from "./index.js";`,
    `import { counted, handlers } from "./counting.js";`,
    ...classes.map((name) => `export const ${name} = counted(all.${name});`),
    `export default handlers(worker);`,
  ];
  writeFileSync(join(bundle, "counting.js"), stripTypeScriptTypes(readFileSync(SOURCE, "utf8")));
  writeFileSync(join(bundle, "counted.js"), `${lines.join("\n")}\n`);
  return ["counted.js", "counting.js", "index.js"];
}
