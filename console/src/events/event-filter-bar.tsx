import { X } from "lucide-react";
import type { FocusEvent, KeyboardEvent } from "react";
import { AgentIdField, TeamIdField } from "../agents/id-fields.tsx";
import { Button } from "../ui/button.tsx";
import { ChoicesMenu } from "../ui/choices-menu.tsx";
import { EVENT_LABELS, EVENT_TYPES, typesOf, type EventFilters } from "./filters.ts";

export function EventFilterBar({
  filters,
  onChange,
}: {
  readonly filters: EventFilters;
  readonly onChange: (next: EventFilters) => void;
}) {
  function change(name: keyof EventFilters, value: string): void {
    const { [name]: _old, ...rest } = filters;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  }
  return (
    <div
      role="search"
      aria-label="Filters"
      className="grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap"
    >
      <div className="col-span-2 grid justify-items-start gap-1">
        <span className="font-medium" aria-hidden>
          Type
        </span>
        <ChoicesMenu
          label="Type"
          plural="types"
          choices={EVENT_TYPES}
          labels={EVENT_LABELS}
          chosen={typesOf(filters)}
          onChange={(type) => change("type", type)}
        />
      </div>
      {/* A new value from the URL replaces what is typed. */}
      <AgentIdField
        key={`agent ${filters.agentId}`}
        label="Agent"
        placeholder="Any agent"
        className="max-w-44"
        defaultValue={filters.agentId}
        {...applyOnLeave((value) => change("agentId", value))}
      />
      <TeamIdField
        key={`team ${filters.teamId}`}
        label="Team"
        placeholder="Any team"
        className="max-w-44"
        defaultValue={filters.teamId}
        {...applyOnLeave((value) => change("teamId", value))}
      />
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" onClick={() => onChange({})}>
          <X aria-hidden className="size-4" />
          Clear the filters
        </Button>
      )}
    </div>
  );
}

/** Applies a filter when the person presses Enter or leaves the field. */
function applyOnLeave(apply: (value: string) => void) {
  return {
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key === "Enter") event.currentTarget.blur();
    },
    onBlur: (event: FocusEvent<HTMLInputElement>) => {
      const value = event.target.value.trim();
      if (value !== event.target.defaultValue) apply(value);
    },
  };
}
