import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Time } from "../ui/time.tsx";
import { untilBreakerChange } from "./breaker.ts";
import { toolUsageQuery } from "./queries.ts";

/** The days of usage that a tool's page shows first. */
export const DAYS_DEFAULT = 30;

/** Says that calls are rejected while the system behind the tool recovers. Shows nothing if all calls are allowed. */
export function BreakerState({ toolId }: { readonly toolId: string }) {
  const { data } = useQuery({
    ...toolUsageQuery(toolId, DAYS_DEFAULT),
    refetchInterval: ({ state }) =>
      state.data !== undefined && untilBreakerChange(state.data, Date.now()),
  });
  if (data === undefined) return null;
  const { breaker, agentBreakers = [] } = data;
  return (
    <>
      {breaker.state === "open" && (
        <Alert until={breaker.until}>All calls are rejected because the last calls failed.</Alert>
      )}
      {breaker.state === "half-open" && (
        <Alert>The last calls failed. The next call shows whether the system has recovered.</Alert>
      )}
      {agentBreakers.map(({ agentId, state, until }) => (
        <Alert key={agentId} until={state === "open" ? until : undefined} call="Its next call">
          The last calls by <code className="break-all">{agentId}</code> failed.
          {state !== "open" && " Its next call is allowed now."}
        </Alert>
      ))}
    </>
  );
}

/** `until`: when the next call is allowed. It is outside the status, which would be read aloud every second. */
function Alert({
  until,
  call = "The next call",
  children,
}: {
  readonly until?: string | undefined;
  readonly call?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="border-warning/40 bg-warning-soft text-warning mb-4 flex gap-2 rounded-md border p-3">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0">
        <span role="status">{children}</span>
        {until !== undefined && (
          <>
            {" "}
            {call} is allowed <Time at={until} />
          </>
        )}
      </p>
    </div>
  );
}
