import { QueryClient, QueryObserver } from "@tanstack/query-core";
import { describe, expect, it } from "vitest";
import { refetchChanged } from "../../console/src/api/refetch.ts";

/** A query that is shown, whose fetches end when the test says so. */
function showQuery(queryClient: QueryClient, queryKey: readonly string[]) {
  const fetches: PromiseWithResolvers<string>[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey,
    retry: false,
    queryFn: () => {
      const fetch = Promise.withResolvers<string>();
      fetches.push(fetch);
      return fetch.promise;
    },
  });
  const hide = observer.subscribe(() => undefined);
  return {
    fetches,
    hide,
    data: () => queryClient.getQueryData(queryKey),
  };
}

describe("refetchChanged", () => {
  it("changes during a fetch neither discard its response nor are lost", async () => {
    const queryClient = new QueryClient();
    const shown = showQuery(queryClient, ["task", "1"]);
    shown.fetches[0]?.resolve("old");
    await expect.poll(shown.data).toBe("old");

    refetchChanged(queryClient, { queryKey: ["task", "1"] });
    expect(shown.fetches).toHaveLength(2);
    for (let n = 0; n < 3; n += 1) refetchChanged(queryClient, { queryKey: ["task", "1"] });
    expect(shown.fetches).toHaveLength(2);
    shown.fetches[1]?.resolve("newer");
    await expect.poll(() => shown.fetches.length).toBe(3);
    expect(shown.data()).toBe("newer");
    shown.fetches[2]?.resolve("newest");
    await expect.poll(shown.data).toBe("newest");
    await expect.poll(() => queryClient.isFetching()).toBe(0);
    expect(shown.fetches).toHaveLength(3);
    shown.hide();
  });

  it("a fetch that fails is followed by one for the change", async () => {
    const queryClient = new QueryClient();
    const shown = showQuery(queryClient, ["task", "1"]);
    refetchChanged(queryClient, { queryKey: ["task"] });
    shown.fetches[0]?.reject(new Error("no response"));
    await expect.poll(() => shown.fetches.length).toBe(2);
    shown.fetches[1]?.resolve("new");
    await expect.poll(shown.data).toBe("new");
    shown.hide();
  });

  it("a query that is no longer shown is only marked as out of date", async () => {
    const queryClient = new QueryClient();
    const shown = showQuery(queryClient, ["task", "1"]);
    refetchChanged(queryClient, { queryKey: ["task"] });
    shown.hide();
    shown.fetches[0]?.resolve("old");
    await expect.poll(shown.data).toBe("old");
    await expect.poll(() => queryClient.getQueryState(["task", "1"])?.isInvalidated).toBe(true);
    expect(shown.fetches).toHaveLength(1);
  });
});
