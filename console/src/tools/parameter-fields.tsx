import type { ChangeEvent } from "react";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { typedOf, type FormField, type FormValues } from "./parameter-form.ts";

/** The fields of a form for the parameters of a capability. */
export function ParameterFields({
  fields,
  values,
  problems,
  onChange,
}: {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (name: string, typed: string) => void;
}) {
  return (
    <div className="grid gap-4">
      {fields.map((field) => (
        <ParameterField
          key={field.name}
          field={field}
          typed={typedOf(values, field.name)}
          problem={problems.get(field.name)}
          onChange={(typed) => onChange(field.name, typed)}
        />
      ))}
    </div>
  );
}

const KIND_HINTS: Partial<Record<FormField["kind"], string>> = {
  list: "One item per line.",
  json: "JSON.",
};

function ParameterField({
  field,
  typed,
  problem,
  onChange,
}: {
  readonly field: FormField;
  readonly typed: string;
  readonly problem: string | undefined;
  readonly onChange: (typed: string) => void;
}) {
  const { kind, name, required, description, constraints, options } = field;
  const hint = [
    description,
    ...(constraints.length === 0 ? [] : [`(${constraints.join("; ")})`]),
    ...(KIND_HINTS[kind] === undefined ? [] : [KIND_HINTS[kind]]),
  ].join(" ");
  const common = {
    label: (
      <>
        <code className="break-all">{name}</code>
        {required && <span className="text-muted font-normal"> (required)</span>}
      </>
    ),
    hint: hint.trim() === "" ? undefined : <bdi className="break-words">{hint}</bdi>,
    error: problem,
    "aria-required": required,
    value: typed,
    onChange: ({
      target,
    }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(target.value),
  };
  switch (kind) {
    case "long-text":
    case "list":
    case "json":
      return (
        <TextArea
          {...common}
          rows={kind === "long-text" ? 1 : 3}
          spellCheck={kind === "long-text"}
          className={
            kind === "long-text"
              ? "field-sizing-content max-h-80 min-h-8.5!"
              : "field-sizing-content max-h-80 font-mono"
          }
        />
      );
    case "boolean":
      return (
        <SelectField {...common}>
          <option value="">Not set</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </SelectField>
      );
    case "choice":
      return (
        <SelectField {...common}>
          <option value="">Not set</option>
          {options.map((option) => (
            <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
              {typeof option === "string" && option !== "" ? option : JSON.stringify(option)}
            </option>
          ))}
        </SelectField>
      );
    case "number":
    case "integer":
      return <TextField {...common} inputMode={kind === "integer" ? "numeric" : "decimal"} />;
    case "date":
      return <TextField {...common} type="date" />;
    case "text":
      return <TextField {...common} />;
  }
}
