import { useEffect, useEffectEvent } from "react";

/** A keyboard shortcut: one key, such as `j`, or two keys in sequence, such as `g t`. */
export interface Shortcut {
  readonly keys: string;
  /** What it does, as the list of shortcuts shows it. */
  readonly label: string;
  readonly run: () => void;
}

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1_000;

/** The shortcuts of each component that is shown. */
const active = new Set<readonly Shortcut[]>();
let firstKey: { readonly key: string; readonly at: number } | null = null;

/** The active shortcuts: single keys before sequences, and those of the most recently shown component first. */
export function listShortcuts(): readonly Shortcut[] {
  const isSequence = ({ keys }: Shortcut): number => Number(keys.includes(" "));
  return [...active]
    .toReversed()
    .flat()
    .toSorted((one, other) => isSequence(one) - isSequence(other));
}

/** Activates shortcuts while the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const runLatest = useEffectEvent((keys: string) => {
    shortcuts.find((shortcut) => shortcut.keys === keys)?.run();
  });
  const signature = shortcuts.map(({ keys, label }) => `${keys}\t${label}`).join("\n");
  useEffect(() => {
    const added = signature
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Shortcut => {
        const [keys = "", label = ""] = line.split("\t");
        return { keys, label, run: () => runLatest(keys) };
      });
    active.add(added);
    return () => {
      active.delete(added);
    };
  }, [signature]);
}

/** Runs the shortcut of a key press. Keys that are typed into a field or pressed with a modifier are not shortcuts. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // These keys activate the control that has the focus.
  if (["Enter", " "].includes(event.key) && isControl(event.target)) return;
  if (isTyping(event.target) || document.querySelector("dialog[open], [role='menu']") !== null)
    return;
  const { key } = event;
  const isSequence = firstKey !== null && event.timeStamp - firstKey.at < SEQUENCE_MS;
  const pressed = isSequence ? `${firstKey?.key} ${key}` : key;
  const found = listShortcuts().find(({ keys }) => keys === pressed);
  const startsSequence = listShortcuts().some(({ keys }) => keys.startsWith(`${key} `));
  firstKey = found === undefined && startsSequence ? { key, at: event.timeStamp } : null;
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

/** Presses or focuses the control in an element that has this `data-key`, if there is one. */
export function pressControl(within: Element | null | undefined, key: string): void {
  const control = within?.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (control instanceof HTMLTextAreaElement) control.focus();
  else control?.click();
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, summary, [role]") !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  );
}
