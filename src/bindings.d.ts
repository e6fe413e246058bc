/** Bindings that a deployment may have in addition to those of wrangler.toml: further databases of the directory. */
interface __BaseEnv_Env {
  readonly [binding: `DIRECTORY_${number}`]: D1Database | undefined;
}
