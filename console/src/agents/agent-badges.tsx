import { CircleCheck, CirclePause, CircleSlash, OctagonPause, Star } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import { EXECUTOR_LABELS } from "./filters.ts";
import type { Agent } from "./queries.ts";

/** The executor, whether the agent is disabled or paused, and its rating. */
export function AgentBadges({ agent }: { readonly agent: Agent }) {
  const { executor, enabled, paused, rating } = agent;
  const model = executor.type === "model" ? `: ${executor.model}` : "";
  return (
    <>
      <Badge tone={executor.type === "builtin" ? "neutral" : "info"}>
        {EXECUTOR_LABELS[executor.type]}
        {model}
      </Badge>
      {!enabled && (
        <Badge tone="warning" icon={<CirclePause aria-hidden />}>
          Disabled
        </Badge>
      )}
      {paused !== null && (
        <Badge tone="warning" icon={<OctagonPause aria-hidden />}>
          Paused
        </Badge>
      )}
      {agent.requireReview && <Badge>Requires review</Badge>}
      {rating !== undefined && (
        <Badge icon={<Star aria-hidden />}>
          {rating.mean.toFixed(1)} of 5 ({rating.count})
        </Badge>
      )}
    </>
  );
}

/** Whether a worker of the agent is online. Other agents have no workers. */
export function OnlineBadge({ online }: { readonly online: boolean | undefined }) {
  if (online === undefined) return null;
  return (
    <Badge
      tone={online ? "success" : "neutral"}
      icon={online ? <CircleCheck aria-hidden /> : <CircleSlash aria-hidden />}
    >
      {online ? "Online" : "Offline"}
    </Badge>
  );
}
