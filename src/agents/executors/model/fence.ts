/** Puts what others wrote between marks that they cannot know, so that it cannot pose as our words. */
export interface Fence {
  readonly open: string;
  readonly close: string;
  readonly around: (text: string) => string;
}

const MARK_CHARACTERS = 12;

/** The fence of a task: its id is random and not to be guessed, and the same in each turn. */
export function fenceOf(taskId: string): Fence {
  const mark = `data-${taskId.slice(0, MARK_CHARACTERS)}`;
  const open = `<${mark}>`;
  const close = `</${mark}>`;
  return {
    open,
    close,
    around: (text) => `${open}\n${text.replaceAll(mark, "data")}\n${close}`,
  };
}
