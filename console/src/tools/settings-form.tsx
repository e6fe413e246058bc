import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ChangeEvent, type SubmitEvent } from "react";
import { api, ApiError, dataOf, type Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Card, ErrorPanel } from "../ui/panels.tsx";
import { CATEGORIES } from "./filters.ts";
import type { Tool } from "./queries.ts";
import {
  AUTHENTICATION_TYPES,
  changesOrigin,
  draftOf,
  PERIODS,
  toolChangesOf,
  type ToolDraft,
} from "./tool-changes.ts";
import { capitalize } from "./words.ts";

const AUTHENTICATION_LABELS = { none: "None", "api-key": "API key", oauth: "OAuth" } as const;

/** Changes the fields of a tool, unless the tool has been changed since it was read. */
export function SettingsForm({
  tool,
  etag,
}: {
  readonly tool: Tool;
  readonly etag: string | null;
}) {
  const [draft, setDraft] = useState(() => draftOf(tool));
  const changes = toolChangesOf(tool, draft);
  const isChanged = Object.keys(changes).length > 0;
  const update = useUpdateTool(tool.id, etag);

  function change(part: Partial<ToolDraft>): void {
    setDraft({ ...draft, ...part });
  }

  function inputFor(name: keyof ToolDraft, ...paths: readonly string[]) {
    return {
      value: draft[name],
      error: problemOf(update.error, paths.length === 0 ? [name] : paths),
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        change({ [name]: target.value }),
    };
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    update.mutate(changes, { onSuccess: (changed) => setDraft(draftOf(changed)) });
  }

  const { authenticationType, period, credentialIn, category } = draft;
  return (
    <Card title="Settings">
      <form onSubmit={submit} className="grid gap-4">
        <TextField label="Name" required {...inputFor("name")} />
        <TextArea
          label="Description"
          hint="Language models also read it."
          {...inputFor("description")}
        />
        <TextField label="Documentation URL" type="url" {...inputFor("documentation")} />
        <SelectField
          label="Category"
          value={category}
          onChange={({ target }) => change(pick("category", CATEGORIES, target.value))}
        >
          {CATEGORIES.map((one) => (
            <option key={one} value={one}>
              {capitalize(one)}
            </option>
          ))}
        </SelectField>
        <TextField
          label={tool.connector.type === "mcp" ? "URL of the MCP server" : "Base URL"}
          type="url"
          required
          {...inputFor("address", "connector.url", "connector.baseUrl")}
        />
        {changesOrigin(tool, draft) && (
          <p role="status" className="text-warning">
            The credentials will be deleted, because they are bound to the previous origin.
          </p>
        )}
        <TextField
          label="Time limit (milliseconds)"
          type="number"
          min={1}
          required
          {...inputFor("timeoutMs", "connector.timeoutMs")}
        />
        <TextArea
          label="Headers"
          hint="One per line, such as “Accept-Language: en”. Secrets are not allowed here."
          className="font-mono"
          spellCheck={false}
          {...inputFor("headers", "connector.headers")}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <SelectField
            label="Required authentication"
            value={authenticationType}
            onChange={({ target }) =>
              change(pick("authenticationType", AUTHENTICATION_TYPES, target.value))
            }
          >
            {AUTHENTICATION_TYPES.map((one) => (
              <option key={one} value={one}>
                {AUTHENTICATION_LABELS[one]}
              </option>
            ))}
          </SelectField>
          {authenticationType === "oauth" && (
            <TextField
              label="OAuth scopes"
              hint="Separated by spaces."
              {...inputFor("scopes", "authentication.scopes")}
            />
          )}
        </div>
        <div className="grid items-start gap-4 sm:grid-cols-3">
          <SelectField
            label="Send the credential in"
            value={credentialIn}
            onChange={({ target }) =>
              change(pick("credentialIn", ["", "header", "query"], target.value))
            }
          >
            <option value="">Set with the credentials</option>
            <option value="header">Header</option>
            <option value="query">Query</option>
          </SelectField>
          {credentialIn !== "" && (
            <>
              <TextField
                label="Credential name"
                required
                {...inputFor("credentialName", "connector.credential.name")}
              />
              <TextField
                label="Credential prefix"
                {...inputFor("credentialPrefix", "connector.credential.prefix")}
              />
            </>
          )}
        </div>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Rate limit (calls)"
            type="number"
            min={1}
            required
            {...inputFor("requests", "rateLimit.requests")}
          />
          <SelectField
            label="Rate limit period"
            value={period}
            onChange={({ target }) => change(pick("period", PERIODS, target.value))}
          >
            {PERIODS.map((one) => (
              <option key={one} value={one}>
                {capitalize(one)}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Free calls per month"
            type="number"
            min={0}
            required
            {...inputFor("free", "pricing.free")}
          />
          <TextField
            label="Price of each further call (US dollars)"
            type="number"
            min={0}
            step="any"
            required
            {...inputFor("overage", "pricing.overage")}
          />
        </div>
        {update.error && <ErrorPanel error={update.error} />}
        {update.isSuccess && !isChanged && (
          <p role="status" className="text-success">
            Saved as version {update.data.version}.
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" disabled={!isChanged || update.isPending}>
            {update.isPending ? "Saving …" : "Save"}
          </Button>
          <Button disabled={!isChanged} onClick={() => setDraft(draftOf(tool))}>
            Discard changes
          </Button>
        </div>
      </form>
    </Card>
  );
}

function useUpdateTool(toolId: string, etag: string | null) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["UpdateToolBody"]) =>
      dataOf(
        api.PATCH("/agents/tools/{id}", {
          params: { path: { id: toolId }, header: etag === null ? {} : { "If-Match": etag } },
          body,
        }),
      ),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["tool", toolId] }),
        queryClient.invalidateQueries({ queryKey: ["tools"] }),
      ]),
  });
}

function pick<Name extends keyof ToolDraft>(
  name: Name,
  allowed: readonly ToolDraft[Name][],
  chosen: string,
): Partial<ToolDraft> {
  const value = allowed.find((one) => one === chosen);
  return value === undefined ? {} : { [name]: value };
}

function problemOf(error: Error | null, paths: readonly string[]): string | undefined {
  return error instanceof ApiError
    ? error.problems.find(({ path }) =>
        paths.some((one) => path === one || path.startsWith(`${one}.`)),
      )?.message
    : undefined;
}
