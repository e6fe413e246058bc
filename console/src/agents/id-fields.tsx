import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { useHasScope } from "../session/identity.ts";
import { SuggestField } from "../ui/suggest-field.tsx";
import { agentsQuery, teamsQuery } from "./queries.ts";

type FieldProps = Omit<ComponentProps<typeof SuggestField>, "options">;

/** A field for an agent's id that suggests the agents, if the key may list them. */
export function AgentIdField(props: FieldProps) {
  const { data } = useQuery({ ...agentsQuery, enabled: useHasScope("agents:manage") });
  return <SuggestField {...props} options={data?.agents ?? []} />;
}

/** A field for a team's id that suggests the teams, if the key may list them. */
export function TeamIdField(props: FieldProps) {
  const { data } = useQuery({ ...teamsQuery, enabled: useHasScope("agents:manage") });
  return <SuggestField {...props} options={data?.teams ?? []} />;
}
