import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerOptionsOf } from "./worker-options.ts";

export interface Deployment {
  /** The Worker's `wrangler.toml`. */
  readonly config: string;
  /** The folder that contains the bundle. */
  readonly bundle: string;
  /** The bundle's modules; the first is the entry point. */
  readonly modules?: readonly string[];
  /** The folder for the storage. */
  readonly state: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The bindings of additional D1 databases. */
  readonly databases?: readonly string[];
  /** Secrets, and variables that override those in the configuration. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** Whether to serve static assets. If so, the runtime calls a simulator of the platform before each request. */
  readonly hasAssets?: boolean;
  /** Receives the Worker's log, which otherwise goes to the console. */
  readonly onLog?: ((words: string) => void) | null;
}

/**
 * Runs a Worker as deployed, in the runtime that `wrangler dev` also uses. Wrangler's proxy is not used, because it
 * exits when a client is killed.
 */
export function deploy({
  config,
  bundle,
  modules = ["index.js"],
  state,
  port,
  databases = [],
  bindings = {},
  hasAssets = true,
  onLog = null,
}: Deployment): Miniflare {
  const configured = workerOptionsOf(config);
  const { assets: _, ...withoutAssets } = configured;
  const workerOptions = hasAssets ? configured : withoutAssets;
  const folder = resolve(bundle);
  return new Miniflare(
    convertV4MiniflareOptions({
      ...workerOptions,
      name: "bosun",
      modules: modules.map((file) => ({ type: "ESModule", path: join(folder, file) })),
      modulesRoot: folder,
      rootPath: folder,
      host: "127.0.0.1",
      port,
      resourcePersistencePath: state,
      inspectorPort: 0,
      bindings: Object.assign({}, workerOptions.bindings, bindings),
      d1Databases: Object.assign(
        {},
        workerOptions.d1Databases,
        Object.fromEntries(databases.map((name) => [name, { id: name }])),
      ),
      ...(onLog === null ? {} : { handleStructuredLogs: ({ message }) => onLog(message) }),
    }),
  );
}
