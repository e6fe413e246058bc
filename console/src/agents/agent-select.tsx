import { useQuery } from "@tanstack/react-query";
import type { ChangeEvent, ReactNode } from "react";
import { useHasScope } from "../session/identity.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { agentChoices, whyAgentWaits } from "./agent-choices.ts";
import { agentChoicesQuery, agentQuery } from "./queries.ts";

/**
 * A field for the agent of a task. It lists the agents by name. A key that may not list them types the id.
 */
export function AgentSelect({
  value,
  current,
  none,
  hint,
  ...field
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** The agent that the field showed first. */
  readonly current: { readonly id: string; readonly name?: string | undefined };
  /** What it means to choose no agent; absent if an agent must be chosen. */
  readonly none?: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => void;
}) {
  const mayList = useHasScope("agents:manage");
  const { data: listed = [] } = useQuery({ ...agentChoicesQuery, enabled: mayList });
  // The list does not count claims with the keys of others.
  const isListedOffline = listed.some(({ id, online }) => id === value && online === false);
  const { data: detail } = useQuery({ ...agentQuery(value), enabled: mayList && isListedOffline });
  const agents = listed.map((agent) => (agent.id === detail?.id ? detail : agent));
  if (!mayList)
    return (
      <TextField
        autoComplete="off"
        spellCheck={false}
        hint={
          <>
            The agent's id.{none !== undefined && ` If empty: ${none}.`} {hint}
          </>
        }
        value={value}
        {...field}
      />
    );
  const why = whyAgentWaits(agents.find(({ id }) => id === value));
  return (
    <SelectField
      hint={
        why === null ? (
          hint
        ) : (
          <>
            <span className="text-warning">{why}</span> {hint}
          </>
        )
      }
      value={value}
      {...field}
    >
      {(none !== undefined || current.id === "") && (
        <option value="">{none ?? "No agent yet"}</option>
      )}
      {agentChoices(agents, current).map(({ id, label, isImpossible }) => (
        <option key={id} value={id} disabled={isImpossible}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}
