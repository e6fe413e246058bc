import {
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../../../domain/limits.ts";
import { cut } from "../../../domain/text.ts";
import type { ToolDraft } from "../draft.ts";
import type { Listing } from "./listing.ts";

/** Name, description and documentation as the server gives them, with its host for a name it lacks. */
export function aboutOf(
  listing: Listing,
  url: URL,
): Pick<ToolDraft, "name" | "description" | "documentation"> {
  const names = [listing.title, listing.name, url.host].map((name) =>
    cut(name, NAME_CHARACTERS_MAX),
  );
  const name = names.find((one) => one !== "") ?? url.host;
  const description = cut(listing.instructions, DESCRIPTION_CHARACTERS_MAX);
  return {
    name,
    description: description === "" ? `The tools of the MCP server ${name}.` : description,
    documentation: linkOf(listing.websiteUrl),
  };
}

function linkOf(text: string): string {
  const url = URL.parse(text);
  const isLink = url?.protocol === "https:" || url?.protocol === "http:";
  return isLink && url.href.length <= URL_BYTES_MAX ? url.href : "";
}
