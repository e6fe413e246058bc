/* global SwaggerUIBundle */

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dress();
dark.addEventListener("change", dress);

// Browsers do not send URL fragments to servers, so the key in a link such as /docs#key=… stays in this tab.
const given = new URLSearchParams(location.hash.slice(1)).get("key");
if (given !== null) {
  sessionStorage.setItem("key", given);
  history.replaceState(null, "", location.pathname);
}
const key = sessionStorage.getItem("key");

const page = SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  queryConfigEnabled: false,
  onComplete() {
    if (key !== null) page.preauthorizeApiKey("bearerAuth", key);
  },
});
