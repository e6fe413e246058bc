import { ViewHeader } from "../ui/panels.tsx";

export function TaskView() {
  return <ViewHeader title="TaskView" />;
}
