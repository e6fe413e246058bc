/** Something that was promised and is not so; `about` is the task or the mark whose history tells more. */
export interface Violation {
  readonly law: string;
  readonly about: string | null;
  readonly words: string;
}
