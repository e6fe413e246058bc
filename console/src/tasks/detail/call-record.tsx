import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/client.ts";
import { ErrorPanel, Loading } from "../../ui/panels.tsx";
import { JsonView } from "./json-view.tsx";
import { taskCallQuery, type RecordedValue } from "./queries.ts";
import { formatBytes } from "./text-parts.ts";

/** The parameters and the result of a tool call, without secrets. `callId` is absent for calls from earlier releases. */
export function CallRecord({
  taskId,
  callId,
}: {
  readonly taskId: string;
  readonly callId: string | undefined;
}) {
  if (callId === undefined) return <NotRecorded />;
  return <FoundRecord taskId={taskId} callId={callId} />;
}

function NotRecorded() {
  return (
    <p className="text-muted py-1 text-sm">
      The parameters and the result of this call are not recorded.
    </p>
  );
}

function FoundRecord({ taskId, callId }: { readonly taskId: string; readonly callId: string }) {
  const { data: call, error, refetch } = useQuery(taskCallQuery(taskId, callId));
  if (error instanceof ApiError && error.status === 404) return <NotRecorded />;
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (call === undefined) return <Loading what="the call" />;
  return (
    <div className="grid gap-2 py-1 [&>*]:min-w-0">
      {call.error && (
        <p className="text-danger break-words">
          {call.error.code}: <bdi>{call.error.message}</bdi>
        </p>
      )}
      <ShownValue title="Parameters" recorded={call.parameters} />
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
