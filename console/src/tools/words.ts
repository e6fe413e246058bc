const numbers = new Intl.NumberFormat("en");

/** A number with its noun: "1 tool", "1,200 capabilities". */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${numbers.format(amount)} ${amount === 1 ? one : many}`;
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A cost in US dollars. Small amounts keep the digits that tell them from zero. */
export function formatCost(dollars: number): string {
  const digits = dollars !== 0 && Math.abs(dollars) < 0.01 ? 6 : 2;
  return new Intl.NumberFormat("en", {
    style: "currency",
    currency: "USD",
    maximumFractionDigits: digits,
  }).format(dollars);
}
