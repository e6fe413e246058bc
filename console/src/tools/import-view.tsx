import { ViewHeader } from "../ui/panels.tsx";

export function ImportView() {
  return <ViewHeader title="Import a tool" />;
}
