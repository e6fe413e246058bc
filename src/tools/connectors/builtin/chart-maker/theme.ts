/** Okabe and Ito's colours, safe for the colour-blind; yellow is left out as too faint on white. */
export const PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
/** For what is folded together or has no value. */
export const REST_COLOUR = "#8A8A8A";

export const INK = "#1F2328";
export const MUTED = "#57606A";
export const RULE = "#E3E6EA";
export const AXIS = "#9AA3AD";
