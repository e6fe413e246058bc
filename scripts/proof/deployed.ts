import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerOptionsOf } from "./worker-options.ts";

export interface Deployment {
  /** The Worker's `wrangler.toml`. */
  readonly config: string;
  /** The folder with its bundle. */
  readonly bundle: string;
  /** Modules of the bundle, the one that is served first. */
  readonly modules?: readonly string[];
  /** Where its stores lie. */
  readonly state: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Further D1 databases, by their bindings. */
  readonly databases?: readonly string[];
  /** Secrets, and variables that differ from the configuration's. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** Whether its static assets are there: in this runtime a simulator of the platform's is asked before each request. */
  readonly hasAssets?: boolean;
  /** Gets its log instead of the console. */
  readonly hear?: ((words: string) => void) | null;
}

/**
 * A Worker as it is deployed, in the runtime that `wrangler dev` starts too, but without the proxy that
 * wrangler puts before it: that ends everything when a client is killed, and answers nobody any more
 * when it is killed itself.
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
  hear = null,
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
      ...(hear === null ? {} : { handleStructuredLogs: ({ message }) => hear(message) }),
    }),
  );
}
