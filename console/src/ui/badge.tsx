import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export const TONES = {
  neutral: "bg-sunken text-muted border-border",
  accent: "bg-accent-soft text-accent border-accent/30",
  success: "bg-success-soft text-success border-success/30",
  warning: "bg-warning-soft text-warning border-warning/30",
  danger: "bg-danger-soft text-danger border-danger/30",
  info: "bg-info-soft text-info border-info/30",
} as const;
export type Tone = keyof typeof TONES;

/** A short label. The text, and not only the colour, states the meaning. */
export function Badge({
  tone = "neutral",
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={classNames(
        "inline-flex max-w-full items-center gap-1 rounded-full border px-2 py-px text-xs font-medium whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0",
        TONES[tone],
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
