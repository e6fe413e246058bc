const dollars = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

/** A cost in US dollars. */
export function formatCost(cost: number): string {
  return dollars.format(cost);
}
