/** Colours of pages; the accent is the charts' own blue. */
export const INK = "#1f2328";
export const MUTED = "#57606a";
export const RULE = "#d8dee4";
export const ACCENT = "#0072b2";
export const TINT = "#f4f7fa";
