import { Fragment } from "react";

/** Texts with commas between them. The direction of one text does not affect the others. */
export function IsolatedList({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => (
    <Fragment key={`${index} ${text}`}>
      {index > 0 && ", "}
      <bdi>{text}</bdi>
    </Fragment>
  ));
}
