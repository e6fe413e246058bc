import type { ComponentProps } from "react";
import { TextField } from "../ui/field.tsx";

type Control = Pick<ComponentProps<typeof TextField>, "value" | "onChange" | "error">;

/** The fields for a task's limits. Each gets its value, its change handler and its error. */
export function BudgetFields({
  maxCost,
  maxToolCalls,
  maxMinutes,
}: Readonly<Record<"maxCost" | "maxToolCalls" | "maxMinutes", Control>>) {
  return (
    <div className="grid items-end gap-3 sm:grid-cols-3">
      <TextField label="Maximum cost (US dollars)" type="number" min={0} step="any" {...maxCost} />
      <TextField label="Maximum tool calls" type="number" min={0} step={1} {...maxToolCalls} />
      <TextField
        label="Maximum working time (minutes)"
        type="number"
        min={0}
        step="any"
        {...maxMinutes}
      />
    </div>
  );
}
