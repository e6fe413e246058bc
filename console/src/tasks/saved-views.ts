import { useSyncExternalStore } from "react";
import { readTaskFilters, type TaskFilters } from "./filters.ts";

interface SavedView {
  readonly name: string;
  readonly filters: TaskFilters;
}

const STORED_AS = "bosun-task-views";
const listeners = new Set<() => void>();
let views = readStoredViews();

function readStoredViews(): readonly SavedView[] {
  return readViews(localStorage.getItem(STORED_AS));
}

/** Reads stored views. Anything that is not a view is ignored. */
function readViews(text: string | null): readonly SavedView[] {
  const found = parseJson(text ?? "[]");
  if (!Array.isArray(found)) return [];
  return found.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const name: unknown = Reflect.get(one, "name");
    const filters: unknown = Reflect.get(one, "filters");
    if (typeof name !== "string" || typeof filters !== "object" || filters === null) return [];
    return [{ name, filters: readTaskFilters(Object.fromEntries(Object.entries(filters))) }];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Changes the stored views, which another tab may have changed since they were read. */
function change(update: (stored: readonly SavedView[]) => readonly SavedView[]): void {
  views = update(readStoredViews());
  localStorage.setItem(STORED_AS, JSON.stringify(views));
  for (const notify of listeners) notify();
}

/** Saves the filters under a name, and replaces an earlier view with that name. */
export function saveView(name: string, filters: TaskFilters): void {
  change((stored) => [...stored.filter((view) => view.name !== name), { name, filters }]);
}

export function deleteView(name: string): void {
  change((stored) => stored.filter((view) => view.name !== name));
}

export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => views,
  );
}
