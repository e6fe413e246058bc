import { useId, useState } from "react";
import { ApiError } from "../api/client.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { CATEGORIES } from "./filters.ts";
import {
  categoryOf,
  SOURCE_KINDS,
  suggestId,
  type ImportDraft,
  type ImportSourceKind,
} from "./import-input.ts";
import { capitalize } from "./words.ts";

const KIND_LABELS: Readonly<Record<ImportSourceKind, string>> = {
  openapi: "OpenAPI document at a URL",
  file: "OpenAPI document from a file",
  mcp: "MCP server",
};

/** The fields of the import wizard. */
export function ImportFields({
  draft,
  error,
  onChange,
}: {
  readonly draft: ImportDraft;
  readonly error: Error | null;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}) {
  const groupId = useId();
  const { kind } = draft;
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">Source</legend>
        {SOURCE_KINDS.map((one) => (
          <label key={one} className="flex min-h-target items-center gap-2">
            <input
              type="radio"
              name={groupId}
              checked={kind === one}
              onChange={() => onChange({ kind: one })}
              className="accent-accent size-4"
            />
            {KIND_LABELS[one]}
          </label>
        ))}
      </fieldset>
      {kind === "file" ? (
        <DocumentField draft={draft} error={error} onChange={onChange} />
      ) : (
        <TextField
          label={kind === "mcp" ? "URL of the MCP server" : "URL of the OpenAPI document"}
          type="url"
          required
          value={draft.url}
          placeholder={
            kind === "mcp" ? "https://mcp.example.com/mcp" : "https://api.example.com/openapi.json"
          }
          error={problemOf(error, kind === "mcp" ? "mcp.url" : "openapi.url")}
          onChange={({ target }) => onChange({ url: target.value })}
          onBlur={() => {
            if (draft.id === "" && suggestId(draft.url) !== "")
              onChange({ id: suggestId(draft.url) });
          }}
        />
      )}
      <TextField
        label="Id of the tool"
        required
        spellCheck={false}
        value={draft.id}
        placeholder="my-api"
        hint="A new id creates a tool. The id of an imported tool updates it."
        error={problemOf(error, "id")}
        onChange={({ target }) => onChange({ id: target.value })}
      />
      <details>
        <summary className="text-accent w-fit py-1">More settings</summary>
        <div className="mt-2 grid gap-4">
          <MoreFields draft={draft} error={error} onChange={onChange} />
        </div>
      </details>
    </>
  );
}

function MoreFields({
  draft,
  error,
  onChange,
}: {
  readonly draft: ImportDraft;
  readonly error: Error | null;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}) {
  const { kind } = draft;
  return (
    <>
      {kind === "mcp" ? (
        <TextField
          label="API key"
          type="password"
          autoComplete="off"
          value={draft.apiKey}
          hint="If the server requires one to list its tools. It is stored with the tool."
          error={problemOf(error, "credentials.value")}
          onChange={({ target }) => onChange({ apiKey: target.value })}
        />
      ) : (
        <TextField
          label="Base URL of the API"
          type="url"
          value={draft.baseUrl}
          hint="If it differs from the one in the document."
          error={problemOf(error, "openapi.baseUrl")}
          onChange={({ target }) => onChange({ baseUrl: target.value })}
        />
      )}
      <SelectField
        label="Category"
        value={draft.category}
        onChange={({ target }) => onChange({ category: categoryOf(target.value) })}
      >
        <option value="">Unchanged, or integration for a new tool</option>
        {CATEGORIES.map((one) => (
          <option key={one} value={one}>
            {capitalize(one)}
          </option>
        ))}
      </SelectField>
      {!draft.everything && (
        <>
          {kind !== "mcp" && (
            <TextField
              label="Only operations with these tags"
              value={draft.tags}
              hint="Separated by spaces."
              error={problemOf(error, "only.tags")}
              onChange={({ target }) => onChange({ tags: target.value })}
            />
          )}
          <TextField
            label={
              kind === "mcp" ? "Only tools with these names" : "Only operations with these ids"
            }
            value={draft.names}
            hint="Separated by spaces. If empty, the last import's selection applies."
            error={problemOf(error, "only.names")}
            onChange={({ target }) => onChange({ names: target.value })}
          />
        </>
      )}
      <Checkbox
        label="Import everything, and ignore the last import's selection"
        checked={draft.everything}
        onChange={({ target }) => onChange({ everything: target.checked })}
      />
    </>
  );
}

/** The API accepts a request body of at most 1 MiB. */
const DOCUMENT_BYTES_MAX = 1_000_000;

function DocumentField({
  draft,
  error,
  onChange,
}: {
  readonly draft: ImportDraft;
  readonly error: Error | null;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}) {
  const [fileProblem, setFileProblem] = useState<string>();

  async function readFile(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    if (file.size > DOCUMENT_BYTES_MAX) {
      setFileProblem("The file is larger than 1 MB. Import it from a URL instead.");
      return;
    }
    setFileProblem(undefined);
    onChange({ document: await file.text() });
  }

  return (
    <>
      <TextField
        label="File (JSON or YAML)"
        type="file"
        accept=".json,.yaml,.yml,application/json,application/yaml"
        error={fileProblem}
        onChange={({ target }) => void readFile(target.files?.[0])}
      />
      <TextArea
        label="Or paste the document"
        rows={6}
        required
        spellCheck={false}
        className="max-h-80 font-mono"
        value={draft.document}
        error={problemOf(error, "openapi.document")}
        onChange={({ target }) => onChange({ document: target.value })}
      />
    </>
  );
}

function problemOf(error: Error | null, path: string): string | undefined {
  return error instanceof ApiError
    ? error.problems.find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))
        ?.message
    : undefined;
}
