import { ViewHeader } from "../ui/panels.tsx";

export function InboxView() {
  return <ViewHeader title="InboxView" />;
}
