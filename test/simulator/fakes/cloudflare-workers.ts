/** The only part of `cloudflare:workers` that the simulated objects use: their base class. */
export class DurableObject<Bindings> {
  protected readonly ctx: DurableObjectState;
  protected readonly env: Bindings;

  constructor(ctx: DurableObjectState, env: Bindings) {
    this.ctx = ctx;
    this.env = env;
  }
}
