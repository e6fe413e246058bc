import { ViewHeader } from "../ui/panels.tsx";

export function ToolsView() {
  return <ViewHeader title="ToolsView" />;
}
