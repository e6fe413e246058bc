import { useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { useEffect, useEffectEvent, useRef } from "react";
import { Bookmark, X } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { agentsQuery } from "../agents/queries.ts";
import { useHasScope } from "../session/identity.ts";
import { Button } from "../ui/button.tsx";
import { ChoicesMenu } from "../ui/choices-menu.tsx";
import { MENU, MENU_ITEM } from "../ui/menu.ts";
import {
  PRIORITIES,
  PRIORITY_LABELS,
  SEARCH_CHARACTERS_MAX,
  STATUSES,
  statusesOf,
  type TaskFilters,
} from "./filters.ts";
import { deleteView, saveView, useSavedViews } from "./saved-views.ts";
import { STATUS_LABELS } from "./status-labels.ts";

/** How long typing must pause before a search applies. */
const SEARCH_PAUSE_MS = 300;
const SELECT = "border-border-strong bg-surface min-h-8 min-w-0 rounded-md border px-2 md:max-w-44";

export function FilterBar({
  filters,
  onChange,
}: {
  readonly filters: TaskFilters;
  readonly onChange: (next: TaskFilters) => void;
}) {
  const { data: agents } = useQuery({ ...agentsQuery, enabled: useHasScope("agents:manage") });
  const { view, sort, ...active } = filters;
  const cleared: TaskFilters = { ...(sort && { sort }), ...(view && { view }) };

  function change(name: keyof typeof active, value: string): void {
    const { [name]: _old, ...rest } = filters;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  }

  return (
    <div
      role="search"
      aria-label="Filters"
      className="mb-3 grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center"
    >
      <TextFilter
        label="Search titles"
        placeholder="Search titles"
        isSearch
        maxLength={SEARCH_CHARACTERS_MAX}
        value={filters.search}
        onChange={(value) => change("search", value)}
      />
      <ChoicesMenu
        label="Status"
        plural="statuses"
        choices={STATUSES}
        labels={STATUS_LABELS}
        chosen={statusesOf(filters)}
        onChange={(status) => change("status", status)}
      />
      <select
        aria-label="Agent"
        className={SELECT}
        value={filters.agentId ?? ""}
        onChange={(event) => change("agentId", event.target.value)}
      >
        <option value="">Any agent</option>
        {agents?.agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Priority"
        className={SELECT}
        value={filters.priority ?? ""}
        onChange={(event) => change("priority", event.target.value)}
      >
        <option value="">Any priority</option>
        {PRIORITIES.map((one) => (
          <option key={one} value={one}>
            {PRIORITY_LABELS[one]}
          </option>
        ))}
      </select>
      <TextFilter
        label="Label"
        placeholder="Label: team:blue"
        value={filters.label}
        onChange={(value) => change("label", value)}
      />
      <TextFilter
        label="External id"
        placeholder="External id"
        value={filters.externalId}
        onChange={(value) => change("externalId", value)}
      />
      {Object.keys(active).length > 0 && (
        <Button kind="quiet" onClick={() => onChange(cleared)}>
          <X aria-hidden className="size-4" />
          Clear the filters
        </Button>
      )}
      <SavedViews filters={filters} />
    </div>
  );
}

/** A filter that applies when the person presses Enter, leaves the field or, in a search, pauses typing. */
function TextFilter({
  label,
  placeholder,
  value = "",
  isSearch = false,
  maxLength,
  onChange,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly isSearch?: boolean;
  readonly maxLength?: number;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const pause = useRef<number>(undefined);
  const apply = useEffectEvent(() => {
    const next = field.current?.value.trim() ?? value;
    if (next !== value) onChange(next);
  });
  useEffect(() => {
    // A new value from the URL replaces what is in the field, unless the person is typing.
    if (field.current !== null && field.current !== document.activeElement)
      field.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(pause.current), []);

  function applyAfterPause(): void {
    clearTimeout(pause.current);
    pause.current = window.setTimeout(() => apply(), SEARCH_PAUSE_MS);
  }
  return (
    <input
      ref={field}
      type={isSearch ? "search" : "text"}
      aria-label={label}
      placeholder={placeholder}
      defaultValue={value}
      maxLength={maxLength}
      onInput={isSearch ? applyAfterPause : undefined}
      className="border-border-strong bg-surface min-h-8 min-w-0 rounded-md border px-2 md:w-44"
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
      onBlur={() => apply()}
    />
  );
}

/** Named filters, which this browser stores. */
function SavedViews({ filters }: { readonly filters: TaskFilters }) {
  const views = useSavedViews();
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button>
          <Bookmark aria-hidden className="size-4" />
          Saved views
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
          {views.map((view) => (
            <DropdownMenu.Item key={view.name} asChild className={MENU_ITEM}>
              <Link to="/tasks" search={view.filters}>
                <bdi>{view.name}</bdi>
              </Link>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Item
            className={MENU_ITEM}
            onSelect={() => {
              const name = prompt("Name of the view")?.trim();
              if (name) saveView(name, filters);
            }}
          >
            Save the current filters …
          </DropdownMenu.Item>
          {views.map(({ name }) => (
            <DropdownMenu.Item key={name} className={MENU_ITEM} onSelect={() => deleteView(name)}>
              <X aria-hidden className="size-4" />
              Delete the view <bdi>{name}</bdi>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
