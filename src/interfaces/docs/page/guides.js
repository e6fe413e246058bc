const RESULTS_MAX = 12;
const EXCERPT_CHARACTERS = 140;

const input = document.getElementById("search");
const results = document.getElementById("results");
const found = document.getElementById("found");
const menu = document.querySelector("nav details");

// Keep the menu open on screens that are wide enough to give it a separate column.
const wide = matchMedia("(min-width: 761px)");
const openMenu = () => menu.toggleAttribute("open", wide.matches);
openMenu();
wide.addEventListener("change", openMenu);

/** The search index. Loaded by the first search, and reloaded by the next one if loading fails. */
let loading;
function loadEntries() {
  loading ??= fetch("/docs/guides-search.json")
    .then((response) =>
      response.ok ? response.json() : Promise.reject(new Error(response.status)),
    )
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

async function search() {
  const query = input.value;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([], "");
  let entries;
  try {
    entries = await loadEntries();
  } catch {
    return show(
      [],
      "The search index could not be loaded. Check your connection and search again.",
    );
  }
  if (input.value !== query) return;
  const items = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => createResult(entry, words[0]));
  show(items, items.length === 0 ? "Nothing found." : `Results shown: ${items.length}`);
}

function show(items, status) {
  results.replaceChildren(...items);
  results.hidden = items.length === 0;
  found.textContent = status;
}

/** 0 if a word is missing. A word in a heading or a page title counts more. */
function scoreOf({ page, heading, text }, words) {
  let score = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word) || page.toLowerCase().includes(word);
    if (!inHeading && !text.toLowerCase().includes(word)) return 0;
    score += inHeading ? 10 : 1;
  }
  return score;
}

function createResult({ url, page, heading, text }, word) {
  const link = createText("a", heading === page ? page : `${page}: ${heading}`);
  link.href = url;
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARACTERS / 2);
  const item = document.createElement("li");
  item.append(link, createText("p", text.slice(at, at + EXCERPT_CHARACTERS)));
  return item;
}

function createText(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

input.addEventListener("input", () => void search());
document.addEventListener("keydown", (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  if (event.key === "/" && isPlain && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape" && document.activeElement === input) {
    input.value = "";
    void search();
  }
});

// Keep the pages readable offline.
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/docs/offline.js");
