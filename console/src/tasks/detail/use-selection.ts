import { useNavigate, useSearch } from "@tanstack/react-router";

/** An event, or one of its tool calls. */
export interface Selection {
  readonly event: number;
  readonly call?: number;
}

/** The selected event or tool call, which is in the URL. */
export function useSelection(): {
  readonly selected: Selection | null;
  readonly select: (selection: Selection | null) => void;
} {
  const { event, call } = useSearch({ from: "/shell/tasks/$taskId" });
  const navigate = useNavigate({ from: "/tasks/$taskId" });
  return {
    selected: event === undefined ? null : { event, ...(call !== undefined && { call }) },
    select: (selection) =>
      void navigate({
        search: ({ event: _event, call: _call, ...rest }) => ({ ...rest, ...selection }),
        replace: true,
        resetScroll: false,
      }),
  };
}
