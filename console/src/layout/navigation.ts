import {
  Activity,
  Bot,
  ChartColumn,
  Gauge,
  Inbox,
  KeyRound,
  ListChecks,
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
    | "/agents"
    | "/usage"
    | "/events"
    | "/webhooks"
    | "/limits"
    | "/keys"
    | "/setup";
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`, this key goes to the view. */
  readonly key: string;
  /** The scope that the view needs; null if every key may see it. */
  readonly scope: Scope | null;
}

/** The views, in the order of the menu. */
export const DESTINATIONS: readonly Destination[] = [
  { to: "/", label: "Inbox", icon: Inbox, key: "i", scope: "tasks:read" },
  { to: "/tasks", label: "Tasks", icon: ListChecks, key: "t", scope: "tasks:read" },
  { to: "/tools", label: "Tools", icon: Wrench, key: "o", scope: "tools:read" },
  { to: "/access", label: "Access", icon: ShieldCheck, key: "c", scope: "tools:read" },
  { to: "/agents", label: "Agents", icon: Bot, key: "a", scope: "agents:manage" },
  { to: "/usage", label: "Usage", icon: ChartColumn, key: "u", scope: "tools:read" },
  { to: "/events", label: "Events", icon: Activity, key: "e", scope: "tasks:read" },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, key: "w", scope: "webhooks:manage" },
  { to: "/limits", label: "Limits", icon: Gauge, key: "l", scope: "limits:manage" },
  { to: "/keys", label: "Keys", icon: KeyRound, key: "k", scope: null },
  { to: "/setup", label: "Setup", icon: Sparkles, key: "s", scope: null },
];
