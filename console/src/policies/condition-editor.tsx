import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { SuggestField } from "../ui/suggest-field.tsx";
import {
  comparisonsOf,
  EMPTY_COMPARISON,
  OPERATOR_LABELS,
  OPERATORS,
  readCondition,
  type ComparisonDraft,
  type ConditionDraft,
} from "./condition-form.ts";

const MODES = ["none", "all", "any", "json"] as const satisfies readonly ConditionDraft["mode"][];
const MODE_LABELS: Readonly<Record<ConditionDraft["mode"], string>> = {
  none: "Every covered call",
  all: "Calls for which all comparisons are true",
  any: "Calls for which at least one comparison is true",
  json: "A condition in JSON",
};
const FIELDS = [
  { id: "parameters.", name: "A parameter of the call" },
  { id: "estimatedCost", name: "The highest possible price in US dollars" },
  { id: "agentId", name: "The agent that calls" },
];

/** Edits the condition of a policy. `problem`: the API's; `isChecked`: whether to show problems of what is typed. */
export function ConditionEditor({
  draft,
  isChecked,
  problem,
  onChange,
}: {
  readonly draft: ConditionDraft;
  readonly isChecked: boolean;
  readonly problem: string | undefined;
  readonly onChange: (draft: ConditionDraft) => void;
}) {
  const [note, setNote] = useState("");
  const read = readCondition(draft);
  const own = isChecked && !read.ok ? read : null;
  const isForm = draft.mode === "all" || draft.mode === "any";

  function switchTo(mode: ConditionDraft["mode"]): void {
    setNote("");
    if (mode === "json" && read.ok) {
      const json = read.when === null ? draft.json : JSON.stringify(read.when, null, 2);
      onChange({ ...draft, mode, json });
      return;
    }
    if (draft.mode === "json" && (mode === "all" || mode === "any") && draft.json.trim() !== "") {
      const form = comparisonsOf(draft.json);
      if (form === null || (form.mode !== mode && form.comparisons.length > 1)) {
        setNote("The form cannot represent this condition. Edit the JSON.");
        return;
      }
      onChange({ ...draft, mode, comparisons: form.comparisons });
      return;
    }
    onChange({ ...draft, mode });
  }
  function replace(index: number, next: ComparisonDraft | null): void {
    const comparisons = draft.comparisons.flatMap((one, at) =>
      at !== index ? [one] : next === null ? [] : [next],
    );
    onChange({ ...draft, comparisons });
  }

  return (
    <fieldset className="border-border grid min-w-0 gap-3 rounded-md border p-3">
      <legend className="px-1 font-medium">Condition</legend>
      <SelectField
        label="Applies to"
        value={draft.mode}
        error={isForm || draft.mode === "none" ? problem : undefined}
        onChange={({ target }) => switchTo(MODES.find((one) => one === target.value) ?? "none")}
      >
        {MODES.map((mode) => (
          <option key={mode} value={mode}>
            {MODE_LABELS[mode]}
          </option>
        ))}
      </SelectField>
      {note !== "" && (
        <p role="status" className="text-warning">
          {note}
        </p>
      )}
      {isForm &&
        draft.comparisons.map((comparison, index) => (
          <Comparison
            // A comparison has no identity but its position.
            key={index}
            number={index + 1}
            comparison={comparison}
            problem={own?.index === index ? own.problem : undefined}
            isOnly={draft.comparisons.length === 1}
            onChange={(next) => replace(index, next)}
          />
        ))}
      {isForm && (
        <div>
          <Button
            onClick={() =>
              onChange({ ...draft, comparisons: [...draft.comparisons, EMPTY_COMPARISON] })
            }
          >
            <Plus aria-hidden className="size-4" />
            Add a comparison
          </Button>
        </div>
      )}
      {draft.mode === "json" && (
        <TextArea
          label="Condition as JSON"
          rows={6}
          spellCheck={false}
          className="field-sizing-content max-h-96 font-mono"
          placeholder={'{"parameters.amount": {"gt": 50000}}'}
          hint="Combine conditions with and, or and not."
          value={draft.json}
          error={own?.problem ?? problem}
          onChange={({ target }) => onChange({ ...draft, json: target.value })}
        />
      )}
    </fieldset>
  );
}

function Comparison({
  number,
  comparison,
  problem,
  isOnly,
  onChange,
}: {
  readonly number: number;
  readonly comparison: ComparisonDraft;
  readonly problem: string | undefined;
  readonly isOnly: boolean;
  /** Null removes the comparison. */
  readonly onChange: (next: ComparisonDraft | null) => void;
}) {
  const change = (part: Partial<ComparisonDraft>): void => onChange({ ...comparison, ...part });
  return (
    <div
      role="group"
      aria-label={`Comparison ${number}`}
      className="border-border grid gap-2 border-b pb-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
    >
      <SuggestField
        label="Field"
        options={FIELDS}
        value={comparison.field}
        error={problem}
        onChange={({ target }) => change({ field: target.value })}
      />
      <SelectField
        label="Operator"
        value={comparison.operator}
        onChange={({ target }) =>
          change({ operator: OPERATORS.find((one) => one === target.value) ?? "eq" })
        }
      >
        {OPERATORS.map((operator) => (
          <option key={operator} value={operator}>
            {OPERATOR_LABELS[operator]}
          </option>
        ))}
      </SelectField>
      {comparison.operator === "exists" ? (
        <SelectField
          label="Value"
          value={comparison.value === "false" ? "false" : "true"}
          onChange={({ target }) => change({ value: target.value })}
        >
          <option value="true">yes</option>
          <option value="false">no</option>
        </SelectField>
      ) : (
        <TextField
          label="Value"
          hint={hintOf(comparison.operator)}
          spellCheck={false}
          value={comparison.value}
          onChange={({ target }) => change({ value: target.value })}
        />
      )}
      <div className="flex items-center justify-between gap-2">
        <Checkbox
          label="Not"
          checked={comparison.isNegated}
          onChange={({ target }) => change({ isNegated: target.checked })}
        />
        {!isOnly && (
          <IconButton label={`Remove comparison ${number}`} onClick={() => onChange(null)}>
            <Trash2 aria-hidden className="size-4" />
          </IconButton>
        )}
      </div>
    </div>
  );
}

function hintOf(operator: ComparisonDraft["operator"]): string | undefined {
  if (operator === "in" || operator === "notIn") return "Values with commas between them.";
  return operator === "eq" || operator === "ne"
    ? 'Text, a number, true, false or null. Write "5" with quotes for the text 5.'
    : undefined;
}
