import { ViewHeader } from "../ui/panels.tsx";

export function AccessView() {
  return <ViewHeader title="AccessView" />;
}
