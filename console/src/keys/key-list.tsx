import { useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { curlFor } from "../api/curl.ts";
import { identityQuery } from "../session/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time, useNow } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { ChangeKeyDialog } from "./change-key-dialog.tsx";
import { keysQuery, type Key } from "./queries.ts";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";

const CREATE_COMMAND = curlFor("POST", "/agents/keys", { name: "Reader", scopes: ["tasks:read"] });
const ROW_HEIGHT = 96;

export function KeyList() {
  const [chosen, setChosen] = useState<{ readonly key: Key; readonly to: "change" | "revoke" }>();
  const { data: identity } = useSuspenseQuery(identityQuery);
  const query = useInfiniteQuery(keysQuery);
  const close = (): void => setChosen(undefined);
  if (query.isPending) return <Loading what="the keys" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  const keys = query.data.pages.flatMap((page) => page.keys);
  return (
    <>
      {keys.length === 0 ? (
        <EmptyState title="No keys yet" command={CREATE_COMMAND}>
          Create a key for each program or person, with only the necessary scopes.
        </EmptyState>
      ) : (
        <VirtualList
          label="Keys"
          items={keys}
          keyOf={({ id }) => id}
          estimatedHeight={ROW_HEIGHT}
          pages={query}
        >
          {(key) => (
            <KeyRow
              shown={key}
              isOwn={key.id === identity?.key.id}
              onChange={() => setChosen({ key, to: "change" })}
              onRevoke={() => setChosen({ key, to: "revoke" })}
            />
          )}
        </VirtualList>
      )}
      {chosen?.to === "change" && <ChangeKeyDialog chosen={chosen.key} onClose={close} />}
      {chosen?.to === "revoke" && (
        <RevokeKeyDialog
          chosen={chosen.key}
          isOwn={chosen.key.id === identity?.key.id}
          onClose={close}
        />
      )}
    </>
  );
}

function KeyRow({
  shown,
  isOwn,
  onChange,
  onRevoke,
}: {
  readonly shown: Key;
  readonly isOwn: boolean;
  readonly onChange: () => void;
  readonly onRevoke: () => void;
}) {
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 p-3">
      <div className="grid min-w-0 flex-1 basis-72 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 font-medium break-words">
            <bdi>{shown.name}</bdi>
          </h2>
          {isOwn && <Badge tone="accent">Your key</Badge>}
          {shown.agentId !== undefined && <Badge tone="info">Agent {shown.agentId}</Badge>}
          {shown.teamId !== undefined && <Badge tone="info">Team {shown.teamId}</Badge>}
          {shown.requireTask && <Badge>Tool calls only under a task</Badge>}
          <Expiry at={shown.expiresAt} />
        </div>
        <ul aria-label="Scopes" className="text-muted flex flex-wrap gap-x-3 font-mono text-sm">
          {shown.scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
        <p className="text-muted flex flex-wrap gap-x-3 text-sm">
          <code title="The key's id">{shown.id}</code>
          <span>
            Created <Time at={shown.createdAt} />
            {shown.createdBy !== undefined && (
              <>
                {" "}
                by <code>{shown.createdBy}</code>
              </>
            )}
          </span>
          <span>
            {shown.lastUsedAt === undefined ? (
              "Never used"
            ) : (
              <>
                Last used <Time at={shown.lastUsedAt} />
              </>
            )}
          </span>
          <span>{shown.limits.requestsPerMinute.toLocaleString("en")} requests/min</span>
        </p>
      </div>
      <div className="flex gap-2">
        <Button aria-label={`Change the limits of ${shown.name}`} onClick={onChange}>
          Limits
        </Button>
        <Button kind="danger" aria-label={`Revoke ${shown.name}`} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
    </div>
  );
}

function Expiry({ at }: { readonly at: string | undefined }) {
  const now = useNow();
  if (at === undefined) return null;
  const isExpired = Date.parse(at) <= now;
  return (
    <Badge tone={isExpired ? "danger" : "neutral"}>
      {isExpired ? "Expired" : "Expires"} <Time at={at} />
    </Badge>
  );
}
