import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";

export type Approval = Schemas["Approval"];
export type ApprovalSummary = Schemas["ApprovalSummary"];
export type Decision = "approve" | "deny";

/** The maximum number of calls that the inbox shows. It shows others as these are decided. */
const PENDING_MAX = 100;
/** How often the list is fetched again, for keys without live updates and for calls that expire. */
const REFRESH_MS = 60_000;
/** How often an approved call is read again until its outcome is known. */
const OUTCOME_REFRESH_MS = 2_000;

/** The calls that wait for approval, newest first. */
export const pendingApprovalsQuery = queryOptions({
  queryKey: ["approvals", "pending"],
  queryFn: () => {
    const query = { status: ["pending" as const], limit: PENDING_MAX };
    return dataOf(api.GET("/agents/approvals", { params: { query } }));
  },
  refetchInterval: REFRESH_MS,
});

export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: ["approval", id],
    queryFn: () => dataOf(api.GET("/agents/approvals/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return (status === "approved" || status === "executing") && OUTCOME_REFRESH_MS;
    },
  });
}

/** Approves or denies a call. The view shows what became of it, also if somebody else was faster. */
export function useDecide(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({
      decision,
      message,
    }: {
      readonly decision: Decision;
      readonly message: string;
    }) => {
      const options = { params: { path: { id } }, body: message === "" ? {} : { message } };
      return dataOf(
        decision === "approve"
          ? api.POST("/agents/approvals/{id}/approve", options)
          : api.POST("/agents/approvals/{id}/deny", options),
      );
    },
    onSuccess: (approval) => queryClient.setQueryData(approvalQuery(id).queryKey, approval),
    onError: () => queryClient.invalidateQueries({ queryKey: approvalQuery(id).queryKey }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["approvals"] }),
  });
}
