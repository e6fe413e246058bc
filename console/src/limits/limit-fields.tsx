import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { AgentIdField, TeamIdField } from "../agents/id-fields.tsx";
import { problemAt } from "../api/problems.ts";
import { keysQuery } from "../keys/queries.ts";
import { useHasScope } from "../session/identity.ts";
import { toolsQuery } from "../tools/queries.ts";
import { Checkbox, SelectField, TextField } from "../ui/field.tsx";
import { SuggestField } from "../ui/suggest-field.tsx";
import {
  changeLimitDraft,
  MEASURE_LABELS,
  measuresOf,
  PERIOD_LABELS,
  periodsOf,
  SCOPE_FIELDS,
  SCOPE_LABELS,
  type LimitDraft,
} from "./limit-form.ts";
import type { Limit } from "./queries.ts";

const ZONES = Intl.supportedValuesOf("timeZone").map((id) => ({ id, name: "" }));
const UNITS: Readonly<Record<Limit["measure"], string>> = {
  usd: "US dollars",
  calls: "calls",
  tokens: "tokens",
};

/** The fields of a limit except its id. */
export function SpendingLimitFields({
  draft,
  error,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly error: Error | null;
  readonly onChange: (draft: LimitDraft) => void;
}) {
  const change = (part: Partial<LimitDraft>): void => onChange(changeLimitDraft(draft, part));
  const hasPeriod = draft.per !== "call" && draft.per !== "total";
  return (
    <>
      <TextField
        label="Name"
        required
        value={draft.name}
        error={problemAt(error, "name")}
        onChange={(event) => change({ name: event.target.value })}
      />
      <SelectField
        label="Covers"
        value={draft.covers}
        error={draft.covers === "all" ? problemAt(error, "scope") : undefined}
        onChange={({ target: { value } }) =>
          change({ covers: SCOPE_FIELDS.find((field) => field === value) ?? "all", coveredId: "" })
        }
      >
        {SCOPE_FIELDS.map((field) => (
          <option key={field} value={field}>
            {SCOPE_LABELS[field]}
          </option>
        ))}
      </SelectField>
      <CoveredIdField
        draft={draft}
        error={problemAt(error, "scope")}
        onChange={(coveredId) => change({ coveredId })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Counts"
          value={draft.measure}
          error={problemAt(error, "measure")}
          onChange={({ target: { value } }) =>
            change({ measure: measuresOf(draft.covers).find((one) => one === value) ?? "usd" })
          }
        >
          {measuresOf(draft.covers).map((measure) => (
            <option key={measure} value={measure}>
              {MEASURE_LABELS[measure]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="For each"
          value={draft.per}
          error={problemAt(error, "per")}
          onChange={({ target: { value } }) =>
            change({ per: periodsOf(draft.measure).find((one) => one === value) ?? "day" })
          }
        >
          {periodsOf(draft.measure).map((per) => (
            <option key={per} value={per}>
              {PERIOD_LABELS[per]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={`Limit (${UNITS[draft.measure]})`}
          type="number"
          required
          min={0}
          step={draft.measure === "usd" ? "any" : 1}
          value={draft.limit}
          error={problemAt(error, "limit")}
          onChange={(event) => change({ limit: event.target.value })}
        />
        <TextField
          label="Warn at (% of the limit)"
          type="number"
          required
          min={1}
          max={100}
          step="any"
          value={draft.warnAt}
          error={problemAt(error, "warnAt")}
          onChange={(event) => change({ warnAt: event.target.value })}
        />
      </div>
      {hasPeriod && (
        <SuggestField
          label="Time zone"
          hint="Each period begins at midnight in this time zone."
          required
          options={ZONES}
          value={draft.timeZone}
          error={problemAt(error, "timeZone")}
          onChange={(event) => change({ timeZone: event.target.value })}
        />
      )}
      <SelectField
        label="If a call would exceed the limit"
        value={draft.onExceeded}
        error={problemAt(error, "onExceeded")}
        onChange={({ target: { value } }) =>
          change({ onExceeded: value === "pause-agent" ? "pause-agent" : "deny" })
        }
      >
        <option value="deny">Reject the call</option>
        <option value="pause-agent">Reject the call and pause its agent</option>
      </SelectField>
      <Checkbox
        label="In force"
        hint="A limit that is not in force counts nothing."
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.target.checked })}
      />
    </>
  );
}

function CoveredIdField({
  draft: { covers, coveredId },
  error,
  onChange,
}: {
  readonly draft: LimitDraft;
  readonly error: string | undefined;
  readonly onChange: (id: string) => void;
}) {
  const props = {
    required: true,
    value: coveredId,
    error: error?.replace(/^scope\.\w+ /, ""),
    onChange: ({ target }: { readonly target: HTMLInputElement }) => onChange(target.value),
  };
  switch (covers) {
    case "all":
      return null;
    case "agentId":
      return <AgentIdField label="Agent" {...props} />;
    case "teamId":
      return <TeamIdField label="Team" {...props} />;
    case "toolId":
      return <ToolIdField label="Tool" {...props} />;
    case "keyId":
      return <KeyIdField label="Key" hint="The key's id, which is not secret" {...props} />;
  }
}

type IdFieldProps = Omit<Parameters<typeof SuggestField>[0], "options">;

function ToolIdField(props: IdFieldProps) {
  const { data } = useQuery({ ...toolsQuery({}), enabled: useHasScope("tools:read") });
  return <SuggestField {...props} options={data?.tools ?? []} />;
}

function KeyIdField(props: IdFieldProps) {
  const { data } = useInfiniteQuery({ ...keysQuery, enabled: useHasScope("keys:manage") });
  return <SuggestField {...props} options={data?.pages.flatMap(({ keys }) => keys) ?? []} />;
}
