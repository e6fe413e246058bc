import type { Tool } from "./queries.ts";
export function SettingsPanel({
  tool,
  etag,
}: {
  readonly tool: Tool;
  readonly etag: string | null;
}) {
  return (
    <p>
      {tool.id}
      {etag}
    </p>
  );
}
