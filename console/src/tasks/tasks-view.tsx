import { ViewHeader } from "../ui/panels.tsx";

export function TasksView() {
  return <ViewHeader title="TasksView" />;
}
