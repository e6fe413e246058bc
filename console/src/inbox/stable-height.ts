import { useLayoutEffect, useRef, type RefObject } from "react";

/** Keeps at least the height that an element had before `isOver`. */
export function useStableHeight<Box extends HTMLElement>(isOver: boolean): RefObject<Box | null> {
  const ref = useRef<Box>(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    if (ref.current === null) return;
    if (!isOver) height.current = ref.current.getBoundingClientRect().height;
    ref.current.style.minHeight = isOver ? `${height.current}px` : "";
  });
  return ref;
}
