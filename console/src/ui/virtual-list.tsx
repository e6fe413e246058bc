import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { Button } from "./button.tsx";
import { ErrorPanel, Loading } from "./panels.tsx";

/** The parts of an infinite query that load the next page. */
export interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: Error | null;
  readonly fetchNextPage: () => unknown;
}

const OVERSCAN = 8;

/** A list of any length that scrolls with the page. Loads the next page when its end comes into view. */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  estimatedHeight,
  pages,
  children,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly estimatedHeight: number;
  readonly pages?: Pages;
  readonly children: (item: Item) => ReactNode;
}) {
  const ref = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => setScrollMargin(ref.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimatedHeight,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    overscan: OVERSCAN,
    scrollMargin,
  });
  const rows = virtualizer.getVirtualItems();
  const isEndInView = (rows.at(-1)?.index ?? -1) >= items.length - 1;
  const loadMore = useEffectEvent(() => {
    if (pages?.hasNextPage && !pages.isFetchingNextPage && !pages.isFetchNextPageError)
      pages.fetchNextPage();
  });
  useEffect(() => {
    if (isEndInView) loadMore();
  }, [isEndInView, items.length]);

  return (
    <div className="border-border bg-surface rounded-lg border">
      <ul
        ref={ref}
        aria-label={label}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {rows.map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={pages?.hasNextPage ? -1 : items.length}
                aria-posinset={index + 1}
                className="border-border absolute inset-x-0 top-0 not-first:border-t"
                style={{ transform: `translateY(${start - scrollMargin}px)` }}
              >
                {children(item)}
              </li>
            )
          );
        })}
      </ul>
      {pages !== undefined && <EndOfPages pages={pages} />}
    </div>
  );
}

function EndOfPages({ pages }: { readonly pages: Pages }) {
  if (pages.isFetchingNextPage) return <Loading what="more" />;
  if (pages.isFetchNextPageError && pages.error !== null) {
    return (
      <div className="p-3">
        <ErrorPanel error={pages.error} retry={() => void pages.fetchNextPage()} />
      </div>
    );
  }
  if (!pages.hasNextPage) return null;
  return (
    <div className="border-border border-t p-2 text-center">
      <Button kind="quiet" onClick={() => void pages.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
