import { ViewHeader } from "../ui/panels.tsx";

export function WebhooksView() {
  return <ViewHeader title="WebhooksView" />;
}
