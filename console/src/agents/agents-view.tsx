import { ViewHeader } from "../ui/panels.tsx";

export function AgentsView() {
  return <ViewHeader title="AgentsView" />;
}
