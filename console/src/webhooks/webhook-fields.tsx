import { AgentIdField, TeamIdField } from "../agents/id-fields.tsx";
import { problemAt } from "../api/problems.ts";
import { EVENT_LABELS, EVENT_TYPES } from "../events/filters.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { FORMAT_LABELS, FORMATS, type WebhookDraft } from "./webhook-form.ts";

/** The fields that a new webhook and a changed one have in common. */
export function WebhookFields({
  draft,
  headerNames = [],
  error,
  onChange,
}: {
  readonly draft: WebhookDraft;
  /** The names of the stored headers. */
  readonly headerNames?: readonly string[] | undefined;
  readonly error: Error | null;
  readonly onChange: (draft: WebhookDraft) => void;
}) {
  const change = (part: Partial<WebhookDraft>): void => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="URL"
        type="url"
        required
        placeholder="https://example.com/hooks/bosun"
        value={draft.url}
        error={problemAt(error, "url")}
        onChange={(event) => change({ url: event.target.value })}
      />
      <TextField
        label="Description"
        value={draft.description}
        error={problemAt(error, "description")}
        onChange={(event) => change({ description: event.target.value })}
      />
      <SelectField
        label="Format"
        value={draft.format}
        error={problemAt(error, "format")}
        onChange={({ target }) =>
          change({ format: FORMATS.find((format) => format === target.value) ?? "standard" })
        }
      >
        {FORMATS.map((format) => (
          <option key={format} value={format}>
            {FORMAT_LABELS[format]}
          </option>
        ))}
      </SelectField>
      <details open={draft.types.length > 0}>
        <summary className="py-1 font-medium">
          Event types: {draft.types.length === 0 ? "all" : draft.types.length}
        </summary>
        <fieldset className="grid gap-1 pt-1 sm:grid-cols-2">
          <legend className="text-muted pb-1 text-sm">Choose none to receive all types.</legend>
          {EVENT_TYPES.map((type) => (
            <Checkbox
              key={type}
              label={EVENT_LABELS[type]}
              checked={draft.types.includes(type)}
              onChange={({ target }) =>
                change({
                  types: EVENT_TYPES.filter((one) =>
                    one === type ? target.checked : draft.types.includes(one),
                  ),
                })
              }
            />
          ))}
        </fieldset>
      </details>
      <div className="grid gap-3 sm:grid-cols-2">
        <AgentIdField
          label="Only this agent's tasks"
          placeholder="Any agent"
          value={draft.agentId}
          error={problemAt(error, "agentId")}
          onChange={(event) => change({ agentId: event.target.value })}
        />
        <TeamIdField
          label="Only this team's tasks"
          placeholder="Any team"
          value={draft.teamId}
          error={problemAt(error, "teamId")}
          onChange={(event) => change({ teamId: event.target.value })}
        />
      </div>
      <TextArea
        label="Template"
        hint="A Liquid template with the variables type, timestamp, title, text and data. Leave empty to use the format's default."
        className="font-mono"
        spellCheck={false}
        value={draft.template}
        error={problemAt(error, "template")}
        onChange={(event) => change({ template: event.target.value })}
      />
      {headerNames.length > 0 && (
        <Checkbox
          label="Replace the headers"
          hint={`Stored: ${headerNames.join(", ")}. Their values are not shown. Required if the URL changes to another origin.`}
          checked={draft.replacesHeaders}
          onChange={({ target }) => change({ replacesHeaders: target.checked })}
        />
      )}
      {draft.replacesHeaders && (
        <TextArea
          label="Headers"
          hint="One per line, such as “Authorization: Bearer …”. Values are encrypted and never shown."
          className="font-mono"
          spellCheck={false}
          value={draft.headers}
          error={problemAt(error, "headers")}
          onChange={(event) => change({ headers: event.target.value })}
        />
      )}
    </>
  );
}
