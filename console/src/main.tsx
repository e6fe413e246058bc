import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client.ts";
import { loadDialogs } from "./layout/shell.tsx";
import { applyTheme } from "./layout/theme.ts";
import { createConsoleRouter } from "./router.tsx";
import { identityQuery } from "./session/identity.ts";
import "./styles.css";

const LOAD_VIEWS_AFTER_MS = 1_500;

applyTheme();
const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

// When the session ends, the router checks it again and shows the sign-in page.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  const isIdentity = query.queryKey[0] === identityQuery.queryKey[0];
  if (type === "updated" && isIdentity && query.state.data === null) void router.invalidate();
});

/** Loads all views in advance, so that they open immediately, even while the service cannot be reached. */
function loadViews(): void {
  for (const { options } of Object.values(router.routesById)) void options.component?.preload?.();
  loadDialogs();
}
setTimeout(loadViews, LOAD_VIEWS_AFTER_MS);

const container = document.getElementById("root");
if (container === null) throw new Error("The page has no element with the id root");
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
