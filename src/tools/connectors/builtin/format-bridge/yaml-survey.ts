import { isScalar, visit, type Alias, type Node } from "yaml";
import { shown } from "../../../../domain/problem.ts";

/** What every alias of a document refers to, and what is wrong with it, at an offset in the text. */
export interface Survey {
  readonly targets: ReadonlyMap<Alias, Node>;
  readonly fault: { readonly message: string; readonly offset: number } | null;
  readonly hasMergeKey: boolean;
}

/**
 * One pass over a document: resolves aliases to the last anchor before them, and finds repeated keys,
 * both of which the library does in quadratic time.
 */
export function surveyYaml(contents: Node | null): Survey {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  let fault: Survey["fault"] = null;
  let hasMergeKey = false;

  function remember(node: Node & { anchor?: string | undefined }): void {
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
  }

  visit(contents, {
    Alias(_, alias) {
      const target = anchors.get(alias.source);
      if (target !== undefined) {
        targets.set(alias, target);
        return undefined;
      }
      const message = `must anchor ${shown(alias.source)} before referring to it`;
      fault = { message, offset: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
    Scalar(_, scalar) {
      remember(scalar);
    },
    Seq(_, seq) {
      remember(seq);
    },
    Map(_, map) {
      remember(map);
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (keys.has(name)) {
          fault = {
            message: `must not repeat the key ${shown(name)}`,
            offset: key.range?.[0] ?? 0,
          };
          return visit.BREAK;
        }
        keys.add(name);
        hasMergeKey ||= name === "<<";
      }
      return undefined;
    },
  });
  return { targets, fault, hasMergeKey };
}
