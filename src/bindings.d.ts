/** Optional bindings that a deployment can add to wrangler.toml: more databases for the directory. */
interface __BaseEnv_Env {
  readonly [binding: `DIRECTORY_${number}`]: D1Database | undefined;
}
