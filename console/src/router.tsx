import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { loadModule } from "./api/load-module.ts";
import { readAgentFilters } from "./agents/filters.ts";
import { readEventFilters } from "./events/filters.ts";
import { readAuditSearch } from "./audit/search.ts";
import { readAccessState } from "./access/filters.ts";
import { InboxView } from "./inbox/inbox-view.tsx";
import { readKeysSearch } from "./keys/search.ts";
import { Shell } from "./layout/shell.tsx";
import { identityQuery } from "./session/identity.ts";
import { SignInView } from "./session/sign-in-view.tsx";
import { readTaskSearch } from "./tasks/detail/search.ts";
import { readPoliciesSearch } from "./policies/search.ts";
import { hasNoTasksQuery } from "./setup/has-no-tasks.ts";
import { readSetupState } from "./setup/setup-state.ts";
import { readTaskFilters } from "./tasks/filters.ts";
import { readToolFilters, readToolPageState } from "./tools/filters.ts";
import { readImportTarget } from "./tools/import-input.ts";
import { EmptyState, ErrorPanel, Loading } from "./ui/panels.tsx";
import { readUsageSearch } from "./usage/search.ts";
import { readDeliverySearch } from "./webhooks/search.ts";

/**
 * `to`: the view to open after signing in; only a path of the console, so that a link cannot lead to another site.
 * `link`: why a sign-in link was rejected.
 */
function readSignInSearch({ to, link }: Record<string, unknown>): {
  to?: string;
  link?: "invalid" | "expired";
} {
  return {
    ...(typeof to === "string" && /^\/(?![/\\])/.test(to) && { to }),
    ...((link === "invalid" || link === "expired") && { link }),
  };
}

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  pendingComponent: () => <Loading what="the console" />,
  errorComponent: ({ error, reset }) => (
    <div className="p-6">
      <ErrorPanel error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
    </div>
  ),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: readSignInSearch,
  component: SignInView,
});

/** Everything but the sign-in page needs a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const identity = await context.queryClient.ensureQueryData(identityQuery);
    if (identity === null) throw redirect({ to: "/sign-in", search: { to: location.href } });
  },
});

const notFound = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: () => (
    <EmptyState title="This page does not exist">
      <Link to="/" className="text-accent underline">
        Go to the inbox
      </Link>
    </EmptyState>
  ),
});

/** Whether the inbox was opened since the page was loaded. The first time, the setup opens instead if there are no tasks. */
let hasOpened = false;

const inbox = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: InboxView,
  beforeLoad: async ({ context: { queryClient } }) => {
    if (hasOpened) return;
    hasOpened = true;
    const identity = await queryClient.ensureQueryData(identityQuery);
    if (!identity?.key.scopes.includes("tasks:read")) return;
    const hasNoTasks = await queryClient.fetchQuery(hasNoTasksQuery).catch(() => false);
    if (hasNoTasks) throw redirect({ to: "/setup" });
  },
});

const tasks = createRoute({
  getParentRoute: () => shell,
  path: "/tasks",
  validateSearch: readTaskFilters,
  component: lazyRouteComponent(
    () => loadModule(() => import("./tasks/tasks-view.tsx")),
    "TasksView",
  ),
});

const task = createRoute({
  getParentRoute: () => shell,
  path: "/tasks/$taskId",
  validateSearch: readTaskSearch,
  component: lazyRouteComponent(
    () => loadModule(() => import("./tasks/task-view.tsx")),
    "TaskView",
  ),
});

const tools = createRoute({
  getParentRoute: () => shell,
  path: "/tools",
  validateSearch: readToolFilters,
  component: lazyRouteComponent(
    () => loadModule(() => import("./tools/tools-view.tsx")),
    "ToolsView",
  ),
});

const tool = createRoute({
  getParentRoute: () => shell,
  path: "/tools/$toolId",
  validateSearch: readToolPageState,
  component: lazyRouteComponent(
    () => loadModule(() => import("./tools/tool-view.tsx")),
    "ToolView",
  ),
});

const toolImport = createRoute({
  getParentRoute: () => shell,
  path: "/tools/import",
  validateSearch: readImportTarget,
  component: lazyRouteComponent(
    () => loadModule(() => import("./tools/import-view.tsx")),
    "ImportView",
  ),
});

const access = createRoute({
  getParentRoute: () => shell,
  path: "/access",
  validateSearch: readAccessState,
  component: lazyRouteComponent(
    () => loadModule(() => import("./access/access-view.tsx")),
    "AccessView",
  ),
});

const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  validateSearch: readAgentFilters,
  component: lazyRouteComponent(
    () => loadModule(() => import("./agents/agents-view.tsx")),
    "AgentsView",
  ),
});

const agent = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$agentId",
  component: lazyRouteComponent(
    () => loadModule(() => import("./agents/agent-view.tsx")),
    "AgentView",
  ),
});

const usage = createRoute({
  getParentRoute: () => shell,
  path: "/usage",
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(
    () => loadModule(() => import("./usage/usage-view.tsx")),
    "UsageView",
  ),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: "/events",
  validateSearch: readEventFilters,
  component: lazyRouteComponent(
    () => loadModule(() => import("./events/events-view.tsx")),
    "EventsView",
  ),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks",
  component: lazyRouteComponent(
    () => loadModule(() => import("./webhooks/webhooks-view.tsx")),
    "WebhooksView",
  ),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$webhookId",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(
    () => loadModule(() => import("./webhooks/webhook-view.tsx")),
    "WebhookView",
  ),
});

const limits = createRoute({
  getParentRoute: () => shell,
  path: "/limits",
  component: lazyRouteComponent(
    () => loadModule(() => import("./limits/limits-view.tsx")),
    "LimitsView",
  ),
});

const keys = createRoute({
  getParentRoute: () => shell,
  path: "/keys",
  validateSearch: readKeysSearch,
  component: lazyRouteComponent(() => loadModule(() => import("./keys/keys-view.tsx")), "KeysView"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(
    () => loadModule(() => import("./audit/audit-view.tsx")),
    "AuditView",
  ),
});

const approval = createRoute({
  getParentRoute: () => shell,
  path: "/approvals/$approvalId",
  component: lazyRouteComponent(
    () => loadModule(() => import("./approvals/approval-view.tsx")),
    "ApprovalView",
  ),
});

const policies = createRoute({
  getParentRoute: () => shell,
  path: "/policies",
  validateSearch: readPoliciesSearch,
  component: lazyRouteComponent(
    () => loadModule(() => import("./policies/policies-view.tsx")),
    "PoliciesView",
  ),
});

const setup = createRoute({
  getParentRoute: () => shell,
  path: "/setup",
  validateSearch: readSetupState,
  component: lazyRouteComponent(
    () => loadModule(() => import("./setup/setup-view.tsx")),
    "SetupView",
  ),
});

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    inbox,
    tasks,
    task,
    tools,
    tool,
    toolImport,
    access,
    policies,
    agents,
    agent,
    usage,
    events,
    webhooks,
    webhook,
    limits,
    keys,
    audit,
    approval,
    setup,
    notFound,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: "/console",
    // Search parameters that a view does not know are removed from the URL.
    search: { strict: true },
    context: { queryClient },
    defaultPendingMs: 200,
    defaultPendingComponent: () => <Loading what="the view" />,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
