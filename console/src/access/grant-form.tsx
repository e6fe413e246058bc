import { useQuery } from "@tanstack/react-query";
import { useId, useState, type SubmitEvent } from "react";
import { toolsQuery, type Tool } from "../tools/queries.ts";
import { capitalize } from "../tools/words.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { grantBody, grantDraftOf } from "./grant-draft.ts";
import { useChangeAccess, type Grant } from "./queries.ts";

type Proficiency = Grant["proficiency"];

const PROFICIENCIES = [
  "beginner",
  "intermediate",
  "advanced",
  "expert",
] as const satisfies readonly Proficiency[];

/** The API accepts at most this many capabilities in a grant that does not cover all of them. */
const CHOSEN_MAX = 50;
/** A list of checkboxes stays usable up to this length. A filter finds the rest. */
const SHOWN_MAX = 200;

/** Chooses the capabilities of a tool that an agent may use. */
export function GrantForm({
  agentId,
  tool,
  granted,
  onRevoke,
  onClose,
}: {
  readonly agentId: string;
  readonly tool: Tool;
  readonly granted: Grant | null;
  readonly onRevoke: () => void;
  readonly onClose: () => void;
}) {
  const groupId = useId();
  const ids = useCapabilityIds(tool);
  const [draft, setDraft] = useState(() => grantDraftOf(granted));
  const { isAll, chosen, proficiency } = draft;
  const isTooLong = !isAll && chosen.size > CHOSEN_MAX;
  const change = useChangeAccess(agentId, tool.id);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    change.mutate(grantBody(draft), { onSuccess: onClose });
  }

  return (
    <form onSubmit={submit} className="grid gap-4">
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">The agent may use</legend>
        {[true, false].map((all) => (
          <label key={String(all)} className="flex min-h-target items-center gap-2">
            <input
              type="radio"
              name={groupId}
              checked={isAll === all}
              onChange={() => setDraft({ ...draft, isAll: all })}
              className="accent-accent size-4"
            />
            {all ? "all capabilities, including those added later" : "only these capabilities"}
          </label>
        ))}
      </fieldset>
      {!isAll && (
        <CapabilityChoice
          ids={ids}
          tool={tool}
          chosen={chosen}
          onChange={(next) => setDraft({ ...draft, chosen: next })}
        />
      )}
      <SelectField
        label="Proficiency"
        hint="How well the agent knows the tool. It restricts nothing."
        value={proficiency}
        onChange={({ target }) =>
          setDraft({
            ...draft,
            proficiency: PROFICIENCIES.find((one) => one === target.value) ?? proficiency,
          })
        }
      >
        {PROFICIENCIES.map((one) => (
          <option key={one} value={one}>
            {capitalize(one)}
          </option>
        ))}
      </SelectField>
      {isTooLong && (
        <p role="alert" className="text-danger">
          A grant can list at most {CHOSEN_MAX} capabilities. Choose fewer, or grant all.
        </p>
      )}
      {change.error && <ErrorPanel error={change.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        {granted !== null && (
          <Button kind="danger" className="mr-auto" onClick={onRevoke}>
            Revoke …
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          disabled={change.isPending || isTooLong || (!isAll && chosen.size === 0)}
        >
          {change.isPending ? "Saving …" : granted === null ? "Grant access" : "Save"}
        </Button>
      </div>
    </form>
  );
}

/** The ids of all capabilities. The page of a tool shows only the first hundred, and the catalogue lists all. */
function useCapabilityIds(tool: Tool): readonly string[] {
  const isComplete = tool.capabilities.length === tool.totalCapabilities;
  const listed = useQuery({
    ...toolsQuery({ search: tool.name.slice(0, 200) }),
    enabled: !isComplete,
  });
  const all = listed.data?.tools.find(({ id }) => id === tool.id)?.capabilities;
  return all ?? tool.capabilities.map(({ id }) => id);
}

function CapabilityChoice({
  ids,
  tool,
  chosen,
  onChange,
}: {
  readonly ids: readonly string[];
  readonly tool: Tool;
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const [filter, setFilter] = useState("");
  const names = new Map(tool.capabilities.map(({ id, name }) => [id, name]));
  const wanted = filter.trim().toLowerCase();
  const matching = ids.filter((id) =>
    `${id} ${names.get(id) ?? ""}`.toLowerCase().includes(wanted),
  );

  function toggle(id: string): void {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  }

  return (
    <div className="grid gap-2">
      {ids.length > 10 && (
        <TextField
          label="Filter"
          type="search"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="text-muted mr-auto text-sm">
          {chosen.size} of {tool.totalCapabilities} chosen
        </p>
        <Button kind="quiet" onClick={() => onChange(new Set([...chosen, ...matching]))}>
          Choose {wanted === "" ? "all" : "these"}
        </Button>
        <Button
          kind="quiet"
          onClick={() => onChange(new Set([...chosen].filter((id) => !matching.includes(id))))}
        >
          Clear {wanted === "" ? "all" : "these"}
        </Button>
      </div>
      <ul
        tabIndex={0}
        aria-label="Capabilities"
        className="border-border max-h-64 overflow-y-auto rounded-md border p-2"
      >
        {matching.slice(0, SHOWN_MAX).map((id) => (
          <li key={id}>
            <label className="flex min-h-target items-start gap-2 py-0.5">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={() => toggle(id)}
                className="accent-accent mt-0.5 size-4 shrink-0"
              />
              <span className="min-w-0 break-words">
                <bdi>{names.get(id) ?? id}</bdi>{" "}
                <code className="text-muted text-sm break-all">{id}</code>
              </span>
            </label>
          </li>
        ))}
        {matching.length > SHOWN_MAX && (
          <li className="text-muted p-1">
            {matching.length - SHOWN_MAX} more. Enter a filter to see them.
          </li>
        )}
        {matching.length === 0 && (
          <li className="text-muted p-1">No capabilities match the filter.</li>
        )}
      </ul>
    </div>
  );
}
