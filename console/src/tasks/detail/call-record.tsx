import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ErrorPanel, Loading } from "../../ui/panels.tsx";
import { JsonView } from "./json-view.tsx";
import { findRecord } from "./match-call.ts";
import { taskCallQuery, taskCallsQuery, type RecordedValue } from "./queries.ts";
import type { TaskEvent } from "./task-log.ts";
import { formatBytes } from "./text-parts.ts";

/** The request and the result of a tool call, without secrets. */
export function CallRecord({
  taskId,
  callId,
}: {
  readonly taskId: string;
  readonly callId: string;
}) {
  const { data: call, error, refetch } = useQuery(taskCallQuery(taskId, callId));
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (call === undefined) return <Loading what="the call" />;
  return (
    <div className="grid gap-2 py-1 [&>*]:min-w-0">
      {call.error && (
        <p className="text-danger break-words">
          {call.error.code}: <bdi>{call.error.message}</bdi>
        </p>
      )}
      <ShownValue title="Request" recorded={call.parameters} />
      {call.result && <ShownValue title="Result" recorded={call.result} />}
    </div>
  );
}

function ShownValue({
  title,
  recorded,
}: {
  readonly title: string;
  readonly recorded: RecordedValue;
}) {
  return (
    <section>
      <h4 className="font-medium">
        {title} <span className="text-muted font-normal">({formatBytes(recorded.size)})</span>
      </h4>
      <div className="font-mono text-sm">
        {recorded.preview !== undefined ? (
          <>
            <pre tabIndex={0} className="max-h-60 overflow-auto whitespace-pre-wrap break-words">
              {recorded.preview}
            </pre>
            <p className="text-muted font-sans">Only the beginning was recorded.</p>
          </>
        ) : (
          <JsonView value={recorded.value} />
        )}
      </div>
    </section>
  );
}

/** The record of a tool call that was charged with an event. */
export function ChargedCall({
  taskId,
  event,
  callIndex,
}: {
  readonly taskId: string;
  readonly event: TaskEvent;
  readonly callIndex: number;
}) {
  const query = useInfiniteQuery(taskCallsQuery(taskId));
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = query;
  const records = data?.pages.flatMap(({ calls }) => calls) ?? [];
  const record = findRecord(records, event, callIndex);
  // Calls are listed from the newest, so an older one may be on a later page.
  const isOnLaterPage =
    record === null &&
    hasNextPage &&
    records.every(({ eventSeq = Infinity }) => eventSeq >= event.seq);
  useEffect(() => {
    if (isOnLaterPage && !isFetching) void fetchNextPage();
  }, [isOnLaterPage, isFetching, fetchNextPage]);
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (record !== null) return <CallRecord taskId={taskId} callId={record.callId} />;
  if (isFetching) return <Loading what="the request and the result" />;
  return (
    <p className="text-muted py-1 text-sm">
      The request and the result of this call were not recorded.
    </p>
  );
}
