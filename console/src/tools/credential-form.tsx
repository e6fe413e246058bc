import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ChangeEvent, type SubmitEvent } from "react";
import { api, ApiError, dataOf } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Card, ErrorPanel } from "../ui/panels.tsx";
import {
  CREDENTIAL_LABELS,
  CREDENTIAL_TYPES,
  credentialInputOf,
  EMPTY_DRAFT,
  type CredentialDraft,
} from "./credential-input.ts";
import { credentialsQuery, type Tool } from "./queries.ts";

/** Sets the credentials of a tool, which replace any earlier ones. */
export function CredentialForm({
  tool,
  isReplacing,
  onDone,
}: {
  readonly tool: Tool;
  readonly isReplacing: boolean;
  readonly onDone: () => void;
}) {
  const [draft, setDraft] = useState<CredentialDraft>({
    ...EMPTY_DRAFT,
    ...(tool.authentication.type === "oauth" && { type: "oauth-authorization-code" }),
  });
  const queryClient = useQueryClient();
  const put = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT("/agents/tools/{id}/credentials", {
          params: { path: { id: tool.id } },
          body: credentialInputOf(draft),
        }),
      ),
    onSuccess: (stored) => {
      queryClient.setQueryData(credentialsQuery(tool.id).queryKey, stored);
      onDone();
    },
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    put.mutate();
  }

  function inputFor(name: Exclude<keyof CredentialDraft, "type">, apiName: string = name) {
    return {
      value: draft[name],
      error: problemOf(put.error, apiName),
      autoComplete: "off",
      spellCheck: false,
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
        setDraft({ ...draft, [name]: target.value }),
    };
  }

  const { type } = draft;
  const isOauth = type !== "api-key";
  return (
    <Card title={isReplacing ? "Replace the credentials" : "Set credentials"}>
      <form onSubmit={submit} className="grid gap-4">
        <SelectField
          label="Type"
          value={type}
          onChange={({ target }) => {
            const chosen = CREDENTIAL_TYPES.find((one) => one === target.value);
            if (chosen !== undefined) setDraft({ ...draft, type: chosen });
          }}
        >
          {CREDENTIAL_TYPES.map((one) => (
            <option key={one} value={one}>
              {CREDENTIAL_LABELS[one]}
            </option>
          ))}
        </SelectField>
        {type === "api-key" && (
          <>
            <TextField label="API key" type="password" required {...inputFor("value")} />
            <SelectField
              label="Send in"
              value={draft.place}
              onChange={({ target }) =>
                setDraft({
                  ...draft,
                  place: target.value === "header" || target.value === "query" ? target.value : "",
                })
              }
            >
              <option value="">As the tool specifies</option>
              <option value="header">A header</option>
              <option value="query">The query</option>
            </SelectField>
            <TextField
              label="Name of the header or query parameter"
              hint="If empty, the name from the tool's settings, or Authorization."
              {...inputFor("name")}
            />
            <TextField
              label="Prefix"
              hint="The text before the key, with a trailing space if needed."
              {...inputFor("prefix")}
            />
          </>
        )}
        {type === "oauth-authorization-code" && (
          <TextField
            label="Authorization URL"
            type="url"
            required
            {...inputFor("authorizationUrl")}
          />
        )}
        {isOauth && (
          <>
            <TextField label="Token URL" type="url" required {...inputFor("tokenUrl")} />
            <TextField label="Client id" required {...inputFor("clientId")} />
            <TextField
              label="Client secret"
              type="password"
              required={type === "oauth-client-credentials"}
              hint={
                type === "oauth-client-credentials" ? undefined : "Leave empty for a public client."
              }
              {...inputFor("clientSecret")}
            />
          </>
        )}
        {type === "oauth-refresh-token" && (
          <TextField label="Refresh token" type="password" required {...inputFor("refreshToken")} />
        )}
        {isOauth && (
          <details>
            <summary className="text-accent w-fit py-1">More OAuth settings</summary>
            <div className="mt-2 grid gap-4">
              <TextField
                label="Scopes"
                hint="Separated by spaces. If empty, the scopes that the tool requires."
                {...inputFor("scopes")}
              />
              <SelectField
                label="Client authentication"
                value={draft.clientAuthentication}
                onChange={({ target }) =>
                  setDraft({
                    ...draft,
                    clientAuthentication:
                      target.value === "basic" || target.value === "post" ? target.value : "",
                  })
                }
              >
                <option value="">Default (Authorization header)</option>
                <option value="basic">Authorization header</option>
                <option value="post">Request body</option>
              </SelectField>
              <TextField label="Audience" {...inputFor("audience")} />
              <TextField label="Resource" {...inputFor("resource")} />
              {type === "oauth-authorization-code" && (
                <TextField
                  label="Issuer"
                  hint="Required if it differs from the origin of the authorization URL."
                  {...inputFor("issuer")}
                />
              )}
            </div>
          </details>
        )}
        {put.error && <ErrorPanel error={put.error} />}
        <p className="text-muted text-sm">
          Secrets are encrypted before they are stored, and are never shown again.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" disabled={put.isPending}>
            {put.isPending ? "Saving …" : "Save the credentials"}
          </Button>
          {isReplacing && <Button onClick={onDone}>Cancel</Button>}
        </div>
      </form>
    </Card>
  );
}

/** The problem that the API reports for one field. */
function problemOf(error: Error | null, path: string): string | undefined {
  return error instanceof ApiError
    ? error.problems.find((problem) => problem.path === path)?.message
    : undefined;
}
