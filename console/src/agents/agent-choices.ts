import type { ListedAgent } from "./queries.ts";

/** The properties of an agent that a person needs to choose one. */
export type ChoosableAgent = Pick<ListedAgent, "id" | "name" | "enabled" | "online"> &
  Partial<Pick<ListedAgent, "description" | "paused">>;

/** The maximum number of characters of a description in a label. */
const DESCRIPTION_CHARACTERS_MAX = 60;

export interface AgentChoice {
  readonly id: string;
  readonly label: string;
  /** Whether the API would reject this agent. */
  readonly isImpossible: boolean;
}

/**
 * The agents, sorted by name. A label contains the start of the description, and the id if the name is not unique.
 * `current` is listed even if it is unknown or disabled, because it is the value of the field.
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
    .toSorted(
      (one, other) => one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1),
    )
    .map(({ id, name, enabled, online, description = "" }) => ({
      id,
      label: [
        name,
        (sameName.get(name)?.length ?? 0) > 1 ? ` (${id})` : "",
        enabled ? "" : " (disabled)",
        enabled && online === false ? " (offline)" : "",
        description === "" ? "" : `: ${shorten(description)}`,
      ].join(""),
      isImpossible: !enabled && id !== current.id,
    }));
}

function shorten(description: string): string {
  const characters = Array.from(description);
  if (characters.length <= DESCRIPTION_CHARACTERS_MAX) return description;
  return `${characters.slice(0, DESCRIPTION_CHARACTERS_MAX).join("").trimEnd()}…`;
}

/** Why a task would wait for the agent; null if it would not wait, or if this is unknown. */
export function whyAgentWaits(agent: ChoosableAgent | undefined): string | null {
  if (agent === undefined) return null;
  if (!agent.enabled) return "This agent is disabled.";
  if (agent.paused !== null && agent.paused !== undefined) return "This agent is paused.";
  return agent.online === false ? "No worker of this agent is online." : null;
}
