import { ViewHeader } from "../ui/panels.tsx";

export function AgentView() {
  return <ViewHeader title="AgentView" />;
}
