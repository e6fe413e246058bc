/* global SwaggerUIBundle */

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dress();
dark.addEventListener("change", dress);

const settings = await fetch("/docs/settings.json").then((response) => response.json());

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
    // In development the page starts with a key.
    if (settings.data.apiKey !== null) page.preauthorizeApiKey("bearerAuth", settings.data.apiKey);
  },
});
