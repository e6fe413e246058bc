import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = "bosun-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED_AS);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Applies the chosen theme, or the system's, to the page. */
export function applyTheme(): void {
  const theme = readTheme();
  const isDark = theme === "system" ? prefersDark.matches : theme === "dark";
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const notify of listeners) notify();
}

prefersDark.addEventListener("change", applyTheme);

export function setTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme);
  applyTheme();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, readTheme);
}
