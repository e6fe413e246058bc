import { ViewHeader } from "../ui/panels.tsx";

export function ToolView() {
  return <ViewHeader title="ToolView" />;
}
