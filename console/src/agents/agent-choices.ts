import type { ListedAgent } from "./queries.ts";

/** What a person chooses an agent by. */
export type ChoosableAgent = Pick<ListedAgent, "id" | "name" | "enabled" | "online">;

export interface AgentChoice {
  readonly id: string;
  readonly label: string;
  /** Whether the API would reject the choice. */
  readonly isImpossible: boolean;
}

/**
 * The agents by name. A label contains the id if the name is not unique. `current` is listed although it may be unknown
 * or disabled, because it is the value of the field.
 */
export function agentChoices(
  agents: readonly ChoosableAgent[],
  current: { readonly id: string; readonly name?: string | undefined },
): readonly AgentChoice[] {
  const isListed = current.id === "" || agents.some(({ id }) => id === current.id);
  const unknown = { id: current.id, name: current.name ?? current.id, enabled: true };
  const all: readonly ChoosableAgent[] = isListed ? agents : [unknown, ...agents];
  const sameName = Map.groupBy(all, ({ name }) => name);
  return all
    .map(({ id, name, enabled, online }) => ({
      id,
      label: [
        name,
        (sameName.get(name)?.length ?? 0) > 1 ? ` (${id})` : "",
        enabled ? "" : " (disabled)",
        enabled && online === false ? " (offline)" : "",
      ].join(""),
      isImpossible: !enabled && id !== current.id,
    }))
    .toSorted((one, other) => one.label.localeCompare(other.label, "en"));
}

/** Why a task of the agent would wait; null if it would not or that is unknown. */
export function whyAgentWaits(agent: ChoosableAgent | undefined): string | null {
  if (agent === undefined) return null;
  if (!agent.enabled) return "This agent is disabled.";
  return agent.online === false ? "No worker of this agent is online." : null;
}
