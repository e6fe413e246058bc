import { useEffect, useRef, useState } from "react";

const HIGHLIGHT_MS = 2_000;

/** Whether `value` changed within the last two seconds. False when the component appears. */
export function useChanged(value: string): boolean {
  const previous = useRef(value);
  const [hasChanged, setHasChanged] = useState(false);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    setHasChanged(true);
    const timer = setTimeout(() => setHasChanged(false), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return hasChanged;
}
