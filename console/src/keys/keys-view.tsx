import { Link, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useShortcuts } from "../layout/shortcuts.ts";
import { useHasScope } from "../session/identity.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ViewHeader } from "../ui/panels.tsx";
import { KeyList } from "./key-list.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { SessionList, SignOutEverywhereDialog } from "./session-list.tsx";

const TAB = buttonClass(
  "quiet",
  "aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent",
);

export function KeysView() {
  const search = useSearch({ from: "/shell/keys" });
  const [open, setOpen] = useState<"create" | "sign-out" | null>(null);
  const canManage = useHasScope("keys:manage");
  const show = canManage ? search.show : "sessions";
  const close = (): void => setOpen(null);
  useShortcuts(
    canManage ? [{ keys: "n", label: "Create a key", run: () => setOpen("create") }] : [],
  );
  return (
    <>
      <ViewHeader title="Keys and sessions">
        {show === "sessions" ? (
          <Button kind="danger" onClick={() => setOpen("sign-out")}>
            Sign out everywhere
          </Button>
        ) : (
          canManage && (
            <Button kind="primary" onClick={() => setOpen("create")}>
              <Plus aria-hidden className="size-4" />
              Create a key
            </Button>
          )
        )}
      </ViewHeader>
      <nav aria-label="Keys and sessions" className="flex gap-1 pb-3">
        {canManage && (
          <Link
            to="/keys"
            search={{}}
            activeOptions={{ exact: true, includeSearch: true }}
            className={TAB}
          >
            Keys
          </Link>
        )}
        <Link to="/keys" search={{ show: "sessions" }} className={TAB}>
          Sessions
        </Link>
      </nav>
      {show === "sessions" ? <SessionList /> : <KeyList />}
      {open === "create" && <NewKeyDialog onClose={close} />}
      {open === "sign-out" && <SignOutEverywhereDialog onClose={close} />}
    </>
  );
}
