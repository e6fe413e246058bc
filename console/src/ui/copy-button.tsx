import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

const CONFIRM_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  }
  return (
    <IconButton label={isCopied ? "Copied" : label} onClick={() => void copy()}>
      {isCopied ? (
        <Check aria-hidden className="size-4" />
      ) : (
        <Copy aria-hidden className="size-4" />
      )}
    </IconButton>
  );
}
