import {
  Activity,
  Bot,
  ChartColumn,
  Gauge,
  Inbox,
  KeyRound,
  ListChecks,
  Scale,
  ScrollText,
  ShieldCheck,
  Sparkles,
  Webhook,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import type { Scope } from "../session/identity.ts";

interface Destination {
  readonly to:
    | "/"
    | "/tasks"
    | "/tools"
    | "/access"
    | "/policies"
    | "/agents"
    | "/usage"
    | "/events"
    | "/webhooks"
    | "/limits"
    | "/keys"
    | "/audit"
    | "/setup";
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`, this key goes to the view. */
  readonly key: string;
  /** The view needs one of these scopes; null if every key may see it. */
  readonly scopes: readonly Scope[] | null;
}

/** The views, in the order of the menu. */
export const DESTINATIONS: readonly Destination[] = [
  { to: "/", label: "Inbox", icon: Inbox, key: "i", scopes: ["tasks:read", "approvals:decide"] },
  { to: "/tasks", label: "Tasks", icon: ListChecks, key: "t", scopes: ["tasks:read"] },
  { to: "/tools", label: "Tools", icon: Wrench, key: "o", scopes: ["tools:read"] },
  { to: "/access", label: "Access", icon: ShieldCheck, key: "c", scopes: ["tools:read"] },
  { to: "/policies", label: "Policies", icon: Scale, key: "p", scopes: ["policies:manage"] },
  { to: "/agents", label: "Agents", icon: Bot, key: "a", scopes: ["agents:manage"] },
  { to: "/usage", label: "Usage", icon: ChartColumn, key: "u", scopes: ["tools:read"] },
  { to: "/events", label: "Events", icon: Activity, key: "e", scopes: ["tasks:read"] },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, key: "w", scopes: ["webhooks:manage"] },
  { to: "/limits", label: "Limits", icon: Gauge, key: "m", scopes: ["limits:manage"] },
  { to: "/keys", label: "Keys", icon: KeyRound, key: "k", scopes: null },
  { to: "/audit", label: "Audit", icon: ScrollText, key: "l", scopes: ["audit:read"] },
  { to: "/setup", label: "Setup", icon: Sparkles, key: "s", scopes: null },
];
