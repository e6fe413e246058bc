import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Menu, Search } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { lazy, Suspense, useEffect, useId, useState } from "react";
import { useConnection, useLiveFeed } from "../api/live-feed.ts";
import { loadModule } from "../api/load-module.ts";
import { identityQuery, useHasScope, useSignOut } from "../session/identity.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { MENU, MENU_ITEM } from "../ui/menu.ts";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { StreamStatus } from "../ui/stream-status.tsx";
import type { PaletteProps } from "./command-palette.tsx";
import { DESTINATIONS } from "./navigation.ts";
import { handleKey, useShortcuts } from "./shortcuts.ts";
import { setTheme, THEMES, useTheme } from "./theme.ts";

const loadPalette = () => loadModule(() => import("./command-palette.tsx"));
const loadShortcutList = () => loadModule(() => import("./shortcut-list.tsx"));
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }));
const ShortcutList = lazy(async () => ({ default: (await loadShortcutList()).ShortcutList }));

/** Loads the dialogs of the frame before they are opened. */
export function loadDialogs(): void {
  void loadPalette();
  void loadShortcutList();
}

/** The frame around every view: menu, search, connection state and keyboard shortcuts. */
export function Shell() {
  const [open, setOpen] = useState<"menu" | "palette" | "shortcuts" | null>(null);
  const [search, setSearch] = useState("");
  const navigate = useNavigate();
  useLiveFeed();
  useShortcuts([
    { keys: "?", label: "Show the keyboard shortcuts", run: () => setOpen("shortcuts") },
    ...DESTINATIONS.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label: `Go to ${label}`,
      run: () => void navigate({ to }),
    })),
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen("palette");
      } else handleKey(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  const close = (): void => {
    setOpen(null);
    setSearch("");
  };
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="bg-raised sr-only focus:not-sr-only focus:absolute focus:z-20 focus:p-2"
      >
        Skip to the content
      </a>
      <header className="border-border bg-surface sticky top-0 z-10 flex items-center gap-2 border-b px-3 py-2 md:hidden">
        <IconButton label="Open the menu" onClick={() => setOpen("menu")}>
          <Menu aria-hidden className="size-5" />
        </IconButton>
        <span className="font-semibold">Bosun</span>
        <ConnectionState />
        <IconButton
          label="Search and run actions"
          className="ml-auto"
          onClick={() => setOpen("palette")}
        >
          <Search aria-hidden className="size-5" />
        </IconButton>
      </header>
      <aside className="border-border bg-surface sticky top-0 hidden h-dvh w-52 shrink-0 flex-col overflow-y-auto border-r p-3 md:flex">
        <p className="px-2 pb-3 text-lg font-semibold">Bosun</p>
        <Button className="mb-3 justify-start" onClick={() => setOpen("palette")}>
          <Search aria-hidden className="size-4" />
          Search
          <kbd className="text-muted ml-auto text-xs">Ctrl K</kbd>
        </Button>
        <Destinations />
        <Account />
      </aside>
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 p-3 outline-none md:p-6">
        <Suspense fallback={<Loading what="the view" />}>
          <Outlet />
        </Suspense>
      </main>
      {open === "menu" && (
        <Dialog title="Menu" onClose={close}>
          <div className="grid gap-4" onClick={close}>
            <Destinations />
          </div>
          <MenuAccount />
        </Dialog>
      )}
      {open === "palette" && (
        <Suspense fallback={<LoadingPalette text={search} onChange={setSearch} onClose={close} />}>
          <CommandPalette text={search} onChange={setSearch} onClose={close} />
        </Suspense>
      )}
      <Suspense>{open === "shortcuts" && <ShortcutList onClose={close} />}</Suspense>
    </div>
  );
}

/** Receives the text that is typed while the palette loads. Otherwise, the letters would run shortcuts. */
function LoadingPalette({ text, onChange, onClose }: PaletteProps) {
  return (
    <Dialog title="Search and run actions" onClose={onClose}>
      <input
        aria-label="Search"
        value={text}
        onChange={({ target }) => onChange(target.value)}
        className="border-border-strong bg-surface w-full rounded-md border px-2.5 py-2"
      />
      <Loading what="the actions" />
    </Dialog>
  );
}

function Destinations() {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const scopes = identity?.key.scopes ?? [];
  return (
    <nav aria-label="Views" className="grid gap-0.5">
      {DESTINATIONS.filter(
        ({ scopes: needed }) => needed === null || needed.some((one) => scopes.includes(one)),
      ).map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/" }}
          className="text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent flex items-center gap-2 rounded-md px-2 py-1.5 font-medium"
        >
          <Icon aria-hidden className="size-4" />
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** Who is signed in, with a menu for the theme and signing out. */
function Account() {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const signOut = useSignOut();
  const theme = useTheme();
  return (
    <div className="border-border mt-auto grid gap-2 border-t pt-3">
      <div className="px-2">
        <ConnectionState />
      </div>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button className="justify-start" disabled={signOut.isPending}>
            <CircleUser aria-hidden className="size-4" />
            <bdi className="min-w-0 truncate">{identity?.key.name}</bdi>
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content side="top" align="start" sideOffset={4} className={MENU}>
            <DropdownMenu.Label className="text-muted px-2 py-1 text-sm">Theme</DropdownMenu.Label>
            <DropdownMenu.RadioGroup value={theme}>
              {THEMES.map((one) => (
                <DropdownMenu.RadioItem
                  key={one}
                  value={one}
                  className={MENU_ITEM}
                  onSelect={() => setTheme(one)}
                >
                  <span aria-hidden className="w-4">
                    {theme === one ? "✓" : ""}
                  </span>
                  {THEME_LABELS[one]}
                </DropdownMenu.RadioItem>
              ))}
            </DropdownMenu.RadioGroup>
            <DropdownMenu.Separator className="bg-border my-1 h-px" />
            <DropdownMenu.Item className={MENU_ITEM} onSelect={() => signOut.mutate()}>
              <LogOut aria-hidden className="size-4" />
              Sign out
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {signOut.error && <ErrorPanel error={signOut.error} />}
    </div>
  );
}

/** The same for a dialog, outside of which nothing can be used, not even a dropdown menu. */
function MenuAccount() {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const signOut = useSignOut();
  const theme = useTheme();
  const labelId = useId();
  return (
    <div className="border-border mt-4 grid gap-3 border-t pt-3">
      <div className="flex flex-wrap items-center justify-between gap-2 px-2">
        <bdi className="min-w-0 break-words">{identity?.key.name}</bdi>
        <ConnectionState />
      </div>
      <div
        role="group"
        aria-labelledby={labelId}
        className="flex flex-wrap items-center gap-2 px-2"
      >
        <span id={labelId} className="text-muted">
          Theme
        </span>
        {THEMES.map((one) => (
          <Button
            key={one}
            aria-pressed={theme === one}
            className="aria-pressed:border-accent aria-pressed:text-accent"
            onClick={() => setTheme(one)}
          >
            {THEME_LABELS[one]}
          </Button>
        ))}
      </div>
      <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </Button>
      {signOut.error && <ErrorPanel error={signOut.error} />}
    </div>
  );
}

const THEME_LABELS = { system: "System", light: "Light", dark: "Dark" } as const;

function ConnectionState() {
  const connection = useConnection();
  const mayFollow = useHasScope("tasks:read");
  if (!mayFollow) return null;
  return (
    <StreamStatus
      state={connection}
      title="The connection was lost. Until it is restored, data may be out of date."
    />
  );
}
