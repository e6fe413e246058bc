import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { useSignIn } from "./identity.ts";

const LINK_PROBLEMS = {
  invalid: "The sign-in link is not valid. Copy it again from the output of npm run dev.",
  expired: "The sign-in link has expired. Restart npm run dev to get a new one.",
} as const;

/** Exchanges an API key for a session. The browser does not store the key. */
export function SignInView() {
  const [apiKey, setApiKey] = useState("");
  const signIn = useSignIn();
  const navigate = useNavigate();
  const { to, link } = useSearch({ from: "/sign-in" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    signIn.mutate(apiKey.trim(), { onSuccess: () => void navigate({ href: to ?? "/" }) });
  }

  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={submit}
        className="border-border bg-surface grid w-full max-w-sm gap-4 rounded-lg border p-6"
      >
        <h1 className="text-xl font-semibold">Sign in to Bosun</h1>
        {link !== undefined && (
          <p role="alert" className="text-danger">
            {LINK_PROBLEMS[link]} You can also sign in with a key.
          </p>
        )}
        <TextField
          label="API key"
          type="password"
          name="api-key"
          autoComplete="current-password"
          required
          autoFocus
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          hint="You get the rights of this key for at most seven days. The browser does not store the key."
        />
        {signIn.error && <ErrorPanel error={signIn.error} />}
        <Button kind="primary" type="submit" disabled={signIn.isPending}>
          {signIn.isPending ? "Signing in …" : "Sign in"}
        </Button>
      </form>
    </main>
  );
}
