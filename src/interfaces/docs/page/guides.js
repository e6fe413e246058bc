const RESULTS_MAX = 12;
const EXCERPT_CHARACTERS = 140;

const input = document.getElementById("search");
const results = document.getElementById("results");
const menu = document.querySelector("nav details");

// The menu is open where it has its own column.
const wide = matchMedia("(min-width: 761px)");
const openMenu = () => menu.toggleAttribute("open", wide.matches);
openMenu();
wide.addEventListener("change", openMenu);

/** Loaded with the first search. */
let loading;
function loadEntries() {
  loading ??= fetch("/docs/guides-search.json").then((response) => response.json());
  return loading;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = words.length === 0 ? [] : await loadEntries();
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX);
  results.replaceChildren(...found.map(({ entry }) => createResult(entry, words[0])));
  if (words.length > 0 && found.length === 0) results.append(createText("li", "Nothing found."));
  results.hidden = words.length === 0;
}

/** 0 if a word is missing; words in headings count more. */
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
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape" && document.activeElement === input) {
    input.value = "";
    void search();
  }
});

// Keeps the pages readable without a connection.
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/docs/offline.js");
