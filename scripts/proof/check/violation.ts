/** A broken promise; `about` is the task or the mark whose history explains it. */
export interface Violation {
  readonly law: string;
  readonly about: string | null;
  readonly words: string;
}
