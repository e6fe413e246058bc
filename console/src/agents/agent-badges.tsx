import { CirclePause, Star } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import { EXECUTOR_LABELS } from "./filters.ts";
import type { Agent } from "./queries.ts";

/** The executor, whether the agent is disabled, and its rating. */
export function AgentBadges({ agent }: { readonly agent: Agent }) {
  const { executor, enabled, rating } = agent;
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
      {agent.requireReview && <Badge>Requires review</Badge>}
      {rating !== undefined && (
        <Badge icon={<Star aria-hidden />}>
          {rating.mean.toFixed(1)} of 5 ({rating.count})
        </Badge>
      )}
    </>
  );
}
