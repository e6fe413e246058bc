// Bundles a program for Node: bundle.ts <source> <output>. Generated modules import each other without extensions.
import { build } from "esbuild";

const [source, output] = process.argv.slice(2);
if (source === undefined || output === undefined)
  throw new Error("Usage: bundle.ts <source> <output>");
await build({
  entryPoints: [source],
  outfile: output,
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "error",
  // For the modules in CommonJS.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});
