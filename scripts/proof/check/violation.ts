/** A violated guarantee. `about` is the task or the mark whose history explains it. */
export interface Violation {
  readonly rule: string;
  readonly about: string | null;
  readonly message: string;
}
