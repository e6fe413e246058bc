/** An expected outcome: a value, or a failure that the caller must handle. Only bugs throw. */
export type Result<Value, Fault> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Fault };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Fault>(failure: Fault): { readonly ok: false; readonly failure: Fault } {
  return { ok: false, failure };
}
