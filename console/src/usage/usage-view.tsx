import { ViewHeader } from "../ui/panels.tsx";

export function UsageView() {
  return <ViewHeader title="UsageView" />;
}
