import { ViewHeader } from "../ui/panels.tsx";

export function KeysView() {
  return <ViewHeader title="KeysView" />;
}
