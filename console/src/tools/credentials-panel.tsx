import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, ExternalLink } from "lucide-react";
import { useState } from "react";
import { api, dataOf } from "../api/client.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { CredentialForm } from "./credential-form.tsx";
import { CREDENTIAL_LABELS } from "./credential-input.ts";
import { credentialsQuery, type Credentials, type Tool } from "./queries.ts";

/** The credentials with which a tool authenticates to the system behind it. Secrets are never shown. */
export function CredentialsPanel({ tool }: { readonly tool: Tool }) {
  const found = useQuery(credentialsQuery(tool.id));
  const [isReplacing, setIsReplacing] = useState(false);
  if (found.isPending) return <Loading what="the credentials" />;
  if (found.data === undefined)
    return <ErrorPanel error={found.error} retry={() => void found.refetch()} />;
  const credentials = found.data;
  const isNeeded = tool.authentication.type !== "none";
  return (
    <div className="grid max-w-3xl gap-4">
      {credentials === null ? (
        <p>
          {isNeeded
            ? "This tool has no credentials. Calls that need them are rejected."
            : "This tool has no credentials and needs none."}
        </p>
      ) : (
        <StoredCredentials
          tool={tool}
          credentials={credentials}
          onReplace={() => setIsReplacing(true)}
        />
      )}
      {(credentials === null || isReplacing) && (
        <CredentialForm
          tool={tool}
          isReplacing={isReplacing}
          onDone={() => setIsReplacing(false)}
        />
      )}
    </div>
  );
}

function StoredCredentials({
  tool,
  credentials,
  onReplace,
}: {
  readonly tool: Tool;
  readonly credentials: Credentials;
  readonly onReplace: () => void;
}) {
  const [isDeleting, setIsDeleting] = useState(false);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/agents/tools/{id}/credentials", { params: { path: { id: tool.id } } })),
    onSuccess: () => queryClient.setQueryData(credentialsQuery(tool.id).queryKey, null),
  });
  return (
    <Card
      title={CREDENTIAL_LABELS[credentials.type]}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button onClick={onReplace}>Replace</Button>
          <Button kind="danger" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        </div>
      }
    >
      {remove.error && <ErrorPanel error={remove.error} />}
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr]">
        {factsOf(credentials).map(([term, value]) => (
          <div key={term} className="min-w-0 sm:col-span-2 sm:grid sm:grid-cols-subgrid">
            <dt className="text-muted">{term}</dt>
            <dd className="min-w-0 break-words">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        <div className="sm:col-span-2 sm:grid sm:grid-cols-subgrid">
          <dt className="text-muted">Updated</dt>
          <dd>
            <Time at={credentials.updatedAt} />
          </dd>
        </div>
        {"expiresAt" in credentials && credentials.expiresAt !== undefined && (
          <div className="sm:col-span-2 sm:grid sm:grid-cols-subgrid">
            <dt className="text-muted">Access token expires</dt>
            <dd>
              <Time at={credentials.expiresAt} /> (it is renewed automatically)
            </dd>
          </div>
        )}
      </dl>
      {"connected" in credentials && (
        <div className="mt-3 grid justify-items-start gap-3">
          {credentials.connected ? (
            <Badge tone="success" icon={<CircleCheck aria-hidden />}>
              Connected
            </Badge>
          ) : (
            <Badge tone="danger" icon={<CircleX aria-hidden />}>
              Not connected
            </Badge>
          )}
          {credentials.type === "oauth-authorization-code" && (
            <Connect toolId={tool.id} isConnected={credentials.connected} />
          )}
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          title="Delete the credentials?"
          confirm="Delete the credentials"
          onConfirm={() => remove.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            Calls of <bdi>{tool.name}</bdi> that need credentials will be rejected. Nothing is
            revoked in the other system.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Asks a person for consent at the authorization server. The link works once, in one browser, for ten minutes. */
function Connect({
  toolId,
  isConnected,
}: {
  readonly toolId: string;
  readonly isConnected: boolean;
}) {
  const queryClient = useQueryClient();
  const connect = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/agents/tools/{id}/credentials/connect", {
          params: { path: { id: toolId } },
          body: {},
        }),
      ),
  });
  if (connect.data === undefined) {
    return (
      <>
        {connect.error && <ErrorPanel error={connect.error} />}
        <Button kind="primary" disabled={connect.isPending} onClick={() => connect.mutate()}>
          {isConnected ? "Connect again" : "Connect"}
        </Button>
      </>
    );
  }
  const { url, redirectUri, expiresAt } = connect.data;
  return (
    <div className="grid justify-items-start gap-2">
      <p>
        Authorise Bosun in a new tab. The link works once and expires <Time at={expiresAt} />.
      </p>
      <p className="text-muted text-sm break-all">
        Register this redirect URI with the authorization server: <code>{redirectUri}</code>{" "}
        <CopyButton text={redirectUri} label="Copy the redirect URI" />
      </p>
      <div className="flex flex-wrap gap-2">
        <a href={url} target="_blank" rel="noreferrer" className={buttonClass("primary")}>
          Authorise
          <ExternalLink aria-label="(opens in a new tab)" className="size-4" />
        </a>
        <Button
          onClick={() => {
            connect.reset();
            void queryClient.invalidateQueries({ queryKey: credentialsQuery(toolId).queryKey });
          }}
        >
          I have authorised Bosun
        </Button>
      </div>
    </div>
  );
}

function factsOf(credentials: Credentials): readonly (readonly [string, string])[] {
  if (credentials.type === "api-key") {
    const { in: place, name, prefix = "" } = credentials;
    return [
      ["Sent in", place === "header" ? "Header" : "Query"],
      ["Name", name],
      ...(prefix === "" ? [] : [["Prefix", prefix] as const]),
    ];
  }
  const { tokenUrl, clientId, scopes, clientAuthentication, audience, resource } = credentials;
  return [
    ["Client id", clientId],
    ["Token URL", tokenUrl],
    ...("authorizationUrl" in credentials
      ? [["Authorization URL", credentials.authorizationUrl] as const]
      : []),
    ["Scopes", scopes.length === 0 ? "None" : scopes.join(" ")],
    [
      "Client authentication",
      clientAuthentication === undefined ? "None (public client)" : clientAuthentication,
    ],
    ...(audience === undefined ? [] : [["Audience", audience] as const]),
    ...(resource === undefined ? [] : [["Resource", resource] as const]),
  ];
}
