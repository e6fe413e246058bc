import { Fragment } from "react";
import type { Sentence } from "./text-parts.ts";

/** Shows a sentence so that texts by others do not change the direction of the rest. */
export function SentenceText({ sentence }: { readonly sentence: Sentence }) {
  return sentence.map((part, index) => (
    <Fragment key={index}>
      {typeof part === "string" ? part : <bdi className="break-words">{part.foreign}</bdi>}
    </Fragment>
  ));
}
