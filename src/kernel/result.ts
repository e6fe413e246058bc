/** An expected outcome: a value, or a failure that the caller must handle. Only bugs throw. */
export type Result<Value, Failed> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failed };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Failed>(failure: Failed): { readonly ok: false; readonly failure: Failed } {
  return { ok: false, failure };
}
