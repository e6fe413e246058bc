import { ViewHeader } from "../ui/panels.tsx";

export function WebhookView() {
  return <ViewHeader title="WebhookView" />;
}
