import { useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { identityQuery, useHasScope } from "../session/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import {
  keysQuery,
  sessionsQuery,
  useEndSession,
  useSignOutEverywhere,
  type Session,
} from "./queries.ts";
import { describeUserAgent } from "./user-agent.ts";

const ROW_HEIGHT = 72;

export function SessionList() {
  const [chosen, setChosen] = useState<Session>();
  const query = useInfiniteQuery(sessionsQuery);
  const nameOf = useKeyNames();
  if (query.isPending) return <Loading what="the sessions" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <VirtualList
        label="Sessions"
        items={query.data.pages.flatMap(({ sessions }) => sessions)}
        keyOf={({ sessionId }) => sessionId}
        estimatedHeight={ROW_HEIGHT}
        pages={query}
      >
        {(session) => (
          <SessionRow
            session={session}
            keyName={nameOf(session.keyId)}
            onEnd={() => setChosen(session)}
          />
        )}
      </VirtualList>
      {chosen !== undefined && (
        <EndSessionDialog
          session={chosen}
          keyName={nameOf(chosen.keyId)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

/** The names of the keys that are loaded. A session states only the id of its key. */
function useKeyNames(): (keyId: string) => string {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const { data } = useInfiniteQuery({ ...keysQuery, enabled: useHasScope("keys:manage") });
  const known = data?.pages.flatMap(({ keys }) => keys) ?? [];
  return (keyId) => {
    if (keyId === identity?.key.id) return identity.key.name;
    if (keyId === "root") return "Root key";
    return known.find(({ id }) => id === keyId)?.name ?? `Key ${keyId}`;
  };
}

function SessionRow({
  session,
  keyName,
  onEnd,
}: {
  readonly session: Session;
  readonly keyName: string;
  readonly onEnd: () => void;
}) {
  const client = describeUserAgent(session.userAgent);
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 p-3">
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 font-medium break-words">
            <bdi>{keyName}</bdi>
          </h2>
          {session.current && <Badge tone="accent">This session</Badge>}
        </div>
        <p className="text-muted flex flex-wrap gap-x-3 text-sm">
          <span className="min-w-0 break-words" title={session.userAgent}>
            <bdi>{client}</bdi>
          </span>
          <span>
            Signed in <Time at={session.createdAt} />
          </span>
          <span>
            Last seen <Time at={session.lastSeenAt} />
          </span>
          <span>
            Ends <Time at={session.expiresAt} />
          </span>
        </p>
      </div>
      <Button aria-label={`End the session of ${keyName} on ${client}`} onClick={onEnd}>
        End
      </Button>
    </div>
  );
}

function EndSessionDialog({
  session,
  keyName,
  onClose,
}: {
  readonly session: Session;
  readonly keyName: string;
  readonly onClose: () => void;
}) {
  const end = useEndSession(session.sessionId);
  return (
    <ConfirmDialog
      title="End the session?"
      confirm="End the session"

      mutation={end}
      onConfirm={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        The session of <bdi className="font-medium">{keyName}</bdi> on{" "}
        <bdi>{describeUserAgent(session.userAgent)}</bdi> ends within ten seconds. The key stays
        valid.
      </p>
      {session.current && (
        <p className="text-danger font-medium">
          This is your own session, so you will be signed out.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Ends all sessions of the key that is signed in. */
export function SignOutEverywhereDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const signOut = useSignOutEverywhere();
  return (
    <ConfirmDialog
      title="Sign out everywhere?"
      confirm="Sign out everywhere"
      mutation={signOut}
      onConfirm={() => signOut.mutate()}
      onClose={onClose}
    >
      <p>
        All sessions of the key <bdi className="font-medium">{identity?.key.name}</bdi> end within
        ten seconds, including this one. The key stays valid. To end the sessions of another key,
        end them one by one, or revoke the key.
      </p>
    </ConfirmDialog>
  );
}
