/** What `cloudflare:workers` brings to the objects that the simulator drives: their base class, and no more. */
export class DurableObject<Bindings> {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Bindings;

  constructor(ctx: DurableObjectState, env: Bindings) {
    this.ctx = ctx;
    this.env = env;
  }
}
