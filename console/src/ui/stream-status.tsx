import { WifiOff } from "lucide-react";

/** Whether a stream is connected; nothing if it has ended. `title` and `note` explain an interruption. */
export function StreamStatus({
  state,
  title,
  note = "",
}: {
  readonly state: "connecting" | "live" | "interrupted" | "ended";
  readonly title?: string;
  readonly note?: string;
}) {
  return (
    <span role="status" className="text-sm empty:hidden">
      {state === "live" && (
        <span className="text-success flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-full bg-current" />
          Live
        </span>
      )}
      {state === "connecting" && <span className="text-muted">Connecting …</span>}
      {state === "interrupted" && (
        <span className="text-warning flex items-center gap-1.5" title={title}>
          <WifiOff aria-hidden className="size-4" />
          Reconnecting …{note}
        </span>
      )}
    </span>
  );
}
