import type { ListedAgent } from "./queries.ts";

/** The properties of an agent that a person needs to choose one. */
export type ChoosableAgent = Pick<ListedAgent, "id" | "name" | "enabled" | "online">;

export interface AgentChoice {
  readonly id: string;
  readonly label: string;
  /** Whether the API would reject this agent. */
  readonly isImpossible: boolean;
}

/**
 * The agents, sorted by name. A label contains the id if the name is not unique. `current` is listed even if it is
 * unknown or disabled, because it is the value of the field.
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

/** Why a task would wait for the agent; null if it would not wait, or if this is unknown. */
export function whyAgentWaits(agent: ChoosableAgent | undefined): string | null {
  if (agent === undefined) return null;
  if (!agent.enabled) return "This agent is disabled.";
  return agent.online === false ? "No worker of this agent is online." : null;
}
