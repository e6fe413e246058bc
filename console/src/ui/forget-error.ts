/** For `onInput` of a form: removes the error of the last attempt, which may not apply to the changed form. */
export function forgetError(mutation: {
  readonly isError: boolean;
  readonly reset: () => void;
}): () => void {
  return () => {
    if (mutation.isError) mutation.reset();
  };
}
