import { unstable_readConfig as readConfig, type Unstable_Config as Config } from "wrangler";

/** The D1 databases in wrangler.toml, and the number of them across which new tasks are distributed. */
export interface Databases {
  readonly bound: readonly { readonly binding: string; readonly id: string }[];
  readonly shards: number;
}

export function boundDatabases(config = "wrangler.toml"): Databases {
  const { d1_databases: databases, vars }: Config = readConfig({ config });
  return {
    bound: databases.map(({ binding, database_id: id = "" }) => ({ binding, id })),
    shards: Number(vars["DIRECTORY_SHARDS"]),
  };
}

/** A configuration problem that would break a deployment; null if there is none. */
export function databaseProblem({ bound, shards }: Databases): string | null {
  const unknown = bound.find(({ id }) => !/^[0-9a-f-]{36}$/.test(id) || /^0{8}-/.test(id));
  if (unknown !== undefined) {
    const name = unknown.binding === "DB" ? "bosun" : nameOf(unknown.binding);
    return (
      `wrangler.toml has no database_id for ${unknown.binding} yet.\n` +
      `Create the database with \`npx wrangler d1 create ${name}\` and copy its id into wrangler.toml (docs/guides/deploy.md).`
    );
  }
  for (let shard = 1; shard < shards; shard += 1) {
    const binding = `DIRECTORY_${shard}`;
    if (bound.some((one) => one.binding === binding)) continue;
    return `DIRECTORY_SHARDS is ${shards}, but wrangler.toml has no database binding ${binding}. Add it, or reduce DIRECTORY_SHARDS (docs/scale.md).`;
  }
  return null;
}

function nameOf(binding: string): string {
  return `bosun-${binding.toLowerCase().replaceAll("_", "-")}`;
}
