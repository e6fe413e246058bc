import { ViewHeader } from "../ui/panels.tsx";

export function EventsView() {
  return <ViewHeader title="EventsView" />;
}
