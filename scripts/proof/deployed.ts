import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerOptionsOf } from "./worker-options.ts";

export interface Deployment {
  /** The Worker's `wrangler.toml`. */
  readonly config: string;
  /** The folder with its bundle. */
  readonly bundle: string;
  /** Modules of the bundle; the first is the entry. */
  readonly modules?: readonly string[];
  /** The folder of its storage. */
  readonly state: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Further D1 databases, by their bindings. */
  readonly databases?: readonly string[];
  /** Secrets, and variables that differ from the configuration's. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** Whether to serve static assets: this runtime then calls a simulator of the platform before each request. */
  readonly hasAssets?: boolean;
  /** Receives its log instead of the console. */
  readonly onLog?: ((words: string) => void) | null;
}

/**
 * A Worker as deployed, in the runtime that `wrangler dev` also uses, but without wrangler's proxy: the proxy
 * exits when a client is killed, and stops responding when it is killed itself.
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
