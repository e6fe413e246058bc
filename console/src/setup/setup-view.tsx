import { ViewHeader } from "../ui/panels.tsx";

export function SetupView() {
  return <ViewHeader title="SetupView" />;
}
